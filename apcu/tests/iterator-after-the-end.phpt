--TEST--
An iterator that is used after the end of the request, when PCRE has freed its expression, finds nothing
--ENV--
USE_ZEND_ALLOC=0
MALLOC_PERTURB_=165
--INI--
apc.enable_cli=1
larder.segment=iterator-after-the-end
--FILE--
<?php
final class Wrapper
{
    public static APCUIterator $iterator;
    public $context;

    public function stream_open(string $path): bool
    {
        return true;
    }

    /** PHP closes it after the modules have ended the request. */
    public function stream_close(): void
    {
        for ($found = 0; self::$iterator->valid(); $found++) {
            self::$iterator->next();
        }
        echo $found, ' ', self::$iterator->getTotalCount(), "\n";
    }
}

for ($i = 0; $i < 1000; $i++) {
    apcu_store("user:$i", 1);
}
Wrapper::$iterator = new APCUIterator('/us.*r:[0-9]+$/', APC_ITER_KEY);
Wrapper::$iterator->rewind();
stream_wrapper_register('wrap', Wrapper::class);
$stream = fopen('wrap://x', 'r');
$kept = [&$kept, $stream];
echo "end\n";
?>
--EXPECT--
end
1 0
