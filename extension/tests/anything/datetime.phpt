--TEST--
A fetched value makes dates
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$date = new DateTime(stored('date'), new DateTimeZone('UTC'));
$date->modify('+1 day');
$date->format(stored('text'));
$immutable = DateTimeImmutable::createFromFormat('Y-m-d H:i:s', stored('date'));
$immutable->add(new DateInterval('P1D'))->format(stored('word'));
date(stored('text'), 0);
strtotime(stored('date'));
date_parse(stored('date'))['year']++;
date_parse_from_format('Y-m-d H:i:s', stored('date'));
@new DateTimeZone('UTC');
date_default_timezone_set('Europe/Berlin');
$period = new DatePeriod(new DateTime(stored('date')), new DateInterval('P1D'), 2);
foreach ($period as $day) {
    $days[$day->format('Y-m-d')] = stored('rows');
}
$days[array_key_first($days)][0]['name'] = 'changed';
DateTime::__set_state(['date' => stored('date'), 'timezone_type' => 3, 'timezone' => 'UTC']);
$object = unserialize(serialize($date));
larder_store('a date', [$object, stored('date')]);
larder_fetch('a date')[0]->modify('-1 year');

unchanged();
?>
--EXPECT--
unchanged
