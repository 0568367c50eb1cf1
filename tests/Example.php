<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

/**
 * A PHP example of a page. It is run in a process and an empty folder of its own, the library and larder/legacy loaded.
 * What it says of itself is checked in two ways:
 *
 *     $cache->get('k');  // => 'value'        the expression gives this value
 *
 * and a `text` block right after it is all that it prints. Without one it prints nothing. It must end
 * without an error, a warning or an exception.
 */
final class Example
{
    private const EXPECTATION = '~^(\s*)(\S.*?);\s*// => (.+)$~m';

    public function __construct(public readonly string $code, public readonly string $output) {}

    /** @return ?string the error; null if everything is as the page says */
    public function failure(ExampleServers $servers): ?string
    {
        $process = $this->run($servers);
        if (!$process->isSuccessful()) {
            return trim($process->getErrorOutput() . $process->getOutput());
        }
        if ($process->getErrorOutput() !== '') {
            return $process->getErrorOutput();
        }
        if (trim($process->getOutput()) !== trim($this->output)) {
            return \sprintf("it printed\n%s\nand the page says\n%s", $process->getOutput(), $this->output);
        }

        return null;
    }

    /** Called by the script that is generated from the example. */
    public static function expect(mixed $expected, mixed $given, string $expression): void
    {
        $said = var_export($expected, true);
        $is = var_export($given, true);
        if ($is !== $said) {
            fwrite(\STDERR, "$expression gives $is, and the page says $said\n");
            exit(1);
        }
    }

    private function run(ExampleServers $servers): Process
    {
        $files = new Filesystem();
        // On a tmpfs, since the engine's segment is in it too.
        $folder = $files->tempnam('/dev/shm', 'larder-example-');
        $files->remove($folder);
        $files->mkdir($folder);

        try {
            $files->dumpFile("$folder/example.php", $servers->apply($this->script()));
            $process = Repository::php(['-d', "larder.path=$folder", '-d', "eaccelerator.cache_dir=$folder/eaccelerator", "$folder/example.php"], $folder);
            $process->run();

            return $process;
        } finally {
            $files->remove($folder);
        }
    }

    private function script(): string
    {
        $autoload = var_export(Repository::ROOT . '/vendor/autoload.php', true);
        $legacy = var_export(Repository::ROOT . '/compat/legacy/bootstrap.php', true);
        $code = preg_replace('/^<\?php\s*(declare\(strict_types=1\);)?/', '', $this->code);
        $checked = preg_replace_callback(
            self::EXPECTATION,
            static fn(array $match): string => \sprintf(
                '%s\%s::expect(%s, %s, %s);',
                $match[1],
                self::class,
                $match[3],
                $match[2],
                var_export($match[2], true),
            ),
            (string) $code,
        );

        return "<?php declare(strict_types=1); require_once $autoload; require_once $legacy;\n$checked";
    }
}
