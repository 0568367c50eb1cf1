--TEST--
Objects whose __sleep names what is not there come back as unserialize() makes them, though igbinary makes others
--EXTENSIONS--
igbinary
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

class Base
{
    private $hidden = 1;
}
#[AllowDynamicProperties]
class NamesParents extends Base
{
    public $kept = 2;

    public function __sleep()
    {
        return ['hidden', 'kept'];
    }
}
#[AllowDynamicProperties]
class NamesNone
{
    public function __sleep()
    {
        return ['nowhere'];
    }
}
class ReturnsNoArray
{
    public $kept = 2;

    public function __sleep()
    {
        return 'kept';
    }
}
class Sound
{
    public $kept = 2;
    public $left = 3;

    public function __sleep()
    {
        return ['kept'];
    }
}

$values = [new NamesParents(), new NamesNone(), new ReturnsNoArray(), new Sound()];
foreach (['auto', 'igbinary', 'php'] as $serializer) {
    ini_set('larder.serializer', $serializer);
    foreach (['0', '1'] as $compact) {
        ini_set('larder.compact', $compact);
        foreach ($values as $value) {
            foreach ([$value, [$value], [(object) ['inner' => [$value]]]] as $depth => $whole) {
                $expected = @serialize(@unserialize(@serialize($whole)));
                @larder_store('key', $whole);
                $found = @serialize(larder_fetch('key'));
                if ($found !== $expected) {
                    echo $value::class, " by $serializer, compact $compact, depth $depth: $found, not $expected\n";
                }
            }
        }
    }
}
?>
--EXPECT--
