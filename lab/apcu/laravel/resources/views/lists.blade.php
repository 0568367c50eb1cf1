<!DOCTYPE html>
<title>Lists</title>
@foreach ($lists as $list)
<p>{{ $list[0]['name'] }} and {{ count($list) - 1 }} more</p>
@endforeach
<p>made now: {{ $made }}</p>
