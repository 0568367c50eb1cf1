--TEST--
A fetched string names stream wrappers and filters
--FILE--
<?php
require __DIR__ . '/../anything.inc';

class Stored_Class
{
    public $context;
    private int $at = 0;
    private string $content = '';

    public function stream_open(string $path, string $mode, int $options, ?string &$opened): bool
    {
        $opened = $path;
        $this->content = stored('long');

        return true;
    }

    public function stream_read(int $count): string
    {
        $piece = substr($this->content, $this->at, $count);
        $this->at += strlen($piece);

        return $piece;
    }

    public function stream_eof(): bool
    {
        return $this->at >= strlen($this->content);
    }

    public function stream_stat(): array
    {
        return [];
    }
}
stream_wrapper_register(stored('word'), stored('class'));
stream_wrapper_register('another' . mt_rand(), stored('class')); // a name that is nobody else's makes PHP free the table
if (file_get_contents(stored('word') . '://' . stored('word')) !== stored('long')) {
    echo "not read\n";
}
stream_get_wrappers();
class Filter extends php_user_filter
{
    public function filter($in, $out, &$consumed, bool $closing): int
    {
        while ($bucket = stream_bucket_make_writeable($in)) {
            $bucket->data = strtoupper($bucket->data) . ($this->params[0]['name'] ?? '');
            $consumed += $bucket->datalen;
            stream_bucket_append($out, $bucket);
        }

        return PSFS_PASS_ON;
    }
}
stream_filter_register(stored('names')['constant'], 'Filter');
stream_filter_register('another' . mt_rand(), 'Filter');
$memory = fopen('php://memory', 'w+');
stream_filter_append($memory, stored('names')['constant'], STREAM_FILTER_WRITE, stored('rows'));
fwrite($memory, stored('text'));
rewind($memory);
stream_get_contents($memory);
$context = stream_context_create(['http' => ['header' => stored('text'), 'content' => stored('long')], 'word' => stored('map')]);
stream_context_set_option($context, 'word', stored('word'), stored('rows'));
$options = stream_context_get_options($context);
$options['word']['alpha'][] = 1;
stream_context_set_params($context, ['notification' => stored('function')]);
stream_wrapper_unregister('php');
stream_wrapper_restore('php');

unchanged();
?>
--EXPECT--
unchanged
