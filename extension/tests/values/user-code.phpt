--TEST--
Objects may use the cache and throw while they are serialized and unserialized
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

class Busy
{
    public function __construct(public string $name, public array $in = [])
    {
    }

    public function __serialize(): array
    {
        larder_store("serialized {$this->name}", [$this->name => range(1, 1000)]);
        larder_fetch("serialized {$this->name}");

        return [$this->name, $this->in];
    }

    public function __unserialize(array $data): void
    {
        [$this->name, $this->in] = $data;
        if ($this->name === 'deleter') {
            larder_delete('busy');
        }
        if ($this->name === 'thrower') {
            throw new DomainException('not now');
        }
        // each fetch overwrites what the one before may have copied to
        for ($i = 0; $i < 50; $i++) {
            larder_store("unserialized $i", str_repeat("$i", 5000));
            larder_fetch("unserialized $i");
            larder_fetch('plain');
        }
        if ($this->name === 'inner') {
            $this->in = larder_fetch('other')->in;
        }
    }
}

larder_store('plain', ['a' => str_repeat('x', 1000)]);
larder_store('other', new Busy('other', ['of the other']));
larder_store('busy', new Busy('outer', [new Busy('inner'), new Busy('last', ['text' => str_repeat('y', 300)])]));
foreach (fetch_both('busy') as $how => $busy) {
    echo "$how: {$busy->name}, {$busy->in[0]->name} {$busy->in[0]->in[0]}, {$busy->in[1]->name} ", strlen($busy->in[1]->in['text']), "\n";
}
var_dump(count(larder_fetch('serialized outer')['outer']));

larder_store('busy', [new Busy('deleter'), new Busy('after')]);
$busy = larder_fetch('busy');
echo $busy[1]->name, ', ', larder_exists('busy') ? 'still there' : 'deleted', "\n";

larder_store('busy', [new Busy('thrower'), 'x']);
foreach ([1, 0] as $zero_copy) {
    ini_set('larder.zero_copy', (string) $zero_copy);
    var_dump(larder_fetch('busy', 'default'));
    $all = larder_fetch_multiple(['plain', 'busy', 'other'], 'default');
    var_dump(strlen($all['plain']['a']), $all['busy'], $all['other']->name);
}
?>
--EXPECT--
pointed to: outer, inner of the other, last 300
copied: outer, inner of the other, last 300
int(1000)
after, deleted
string(7) "default"
int(1000)
string(7) "default"
string(5) "other"
string(7) "default"
int(1000)
string(7) "default"
string(5) "other"
