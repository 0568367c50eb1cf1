--TEST--
A fetched value is iterated by SPL's iterators
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['list', 'map', 'rows', 'strings', 'holes'] as $name) {
    $make = fn () => new ArrayIterator(stored($name));
    $iterators = [
        new LimitIterator($make(), 1, 2), new InfiniteIterator(new LimitIterator($make(), 0, 2)), new CachingIterator($make(), CachingIterator::FULL_CACHE),
        new IteratorIterator($make()), new NoRewindIterator($make()), new CallbackFilterIterator($make(), fn ($value) => $value !== null),
    ];
    foreach ($iterators as $iterator) {
        $count = 0;
        foreach ($iterator as $key => $value) {
            $inner = $iterator->getInnerIterator();
            if ($inner instanceof ArrayIterator) {
                $inner[$key] = 'changed';
            }
            if (is_array($value)) {
                $value[] = 1;
            }
            if (++$count > 5) {
                break;
            }
        }
    }
    $append = new AppendIterator();
    $append->append($make());
    $append->append($make());
    $array = iterator_to_array($append, false);
    $array[0] = 'changed';
    $multiple = new MultipleIterator(MultipleIterator::MIT_KEYS_ASSOC);
    $multiple->attachIterator($make(), stored('word'));
    foreach ($multiple as $values) {
        $values[stored('word')] = 'changed';
    }
    iterator_apply($it = $make(), function () use ($it) {
        $it[$it->key()] = null;

        return true;
    });
}
$tree = new RecursiveTreeIterator(new RecursiveArrayIterator(stored('map')));
foreach ($tree as $line) {
    $lines[] = @"$line";
}
new RegexIterator(new ArrayIterator(stored('strings')), stored('pattern'));

unchanged();
?>
--EXPECT--
unchanged
