<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\ProjectTests\Repository;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/** The shell fills the cache of PHP-FPM: from cron by `larder warm`, and after a reboot from a dump. */
final class WarmTest extends TestCase
{
    private const ENGINE = Repository::ROOT . '/extension/modules/larder.so';
    /** The study of 2013: rows of a database that every page needs, put into the cache by cron. */
    private const SETTINGS = <<<'PHP'
        <?php
        require '%1$s/vendor/autoload.php';
        $database = new PDO('sqlite:%2$s/shop.sqlite');
        $settings = $database->query('SELECT name, value FROM settings')->fetchAll(PDO::FETCH_KEY_PAIR);
        Larder\Cache::open('larder:')->set('settings', $settings);
        apcu_store('settings', $settings);
        echo "settings: ", count($settings), "\n";
        PHP;

    private TemporaryDirectory $folder;

    protected function setUp(): void
    {
        $this->folder = new TemporaryDirectory('/dev/shm');
    }

    protected function tearDown(): void
    {
        $this->folder->remove();
    }

    public function testCronFillsTheCacheOfTheWebServer(): void
    {
        $database = new \PDO("sqlite:{$this->folder->path}/shop.sqlite");
        $database->exec("CREATE TABLE settings (name TEXT, value TEXT); INSERT INTO settings VALUES ('currency', 'EUR'), ('vat', '19')");
        $page = $this->folder->write('page.php', '<?php echo json_encode([larder_fetch("settings"), apcu_fetch("settings")]);');
        $fpm = PhpFpmServer::start($this->folder->add('fpm'), ['larder.path' => $this->folder->path], [self::ENGINE]);
        $connection = $fpm->connect();
        $ask = static fn(): string => $connection->request(PhpFpmServer::parameters($page))->body;

        try {
            self::assertSame('[null,false]', $ask());
            $warm = $this->warm($this->folder->write('warm.php', \sprintf(self::SETTINGS, Repository::ROOT, $this->folder->path)));
            self::assertMatchesRegularExpression(
                '/^settings: 2\nStored: 1 entry in [\d.]+ s, by \S+ and by others\.\nNow in the cache, of the last \d+ s: 1 entry, \d+ B\.\n$/',
                $warm->getOutput(),
                $warm->getErrorOutput(),
            );
            self::assertSame('[{"currency":"EUR","vat":"19"},false]', $ask(), 'the control: APCu of the shell is another cache');
        } finally {
            $connection->close();
            $fpm->stop();
        }
    }

    public function testSecondWarmerLeavesTheFirstAlone(): void
    {
        $script = $this->folder->write('warm.php', "<?php touch('{$this->folder->path}/started'); larder_store('k', 1); while (!is_file('{$this->folder->path}/go')) usleep(1000);");
        $first = $this->process($script);
        $first->start();
        Wait::until(fn(): bool => is_file("{$this->folder->path}/started"), 'the first one stores');
        $second = $this->warm($script);
        touch("{$this->folder->path}/go");

        self::assertSame("$script is warming this cache already: nothing was done.\n", $second->getErrorOutput());
        self::assertSame([0, 0], [$first->wait(), $second->getExitCode()]);
        self::assertSame(0, $this->warm($script)->getExitCode());
    }

    public function testWarmerThatIsKilledLeavesNoScriptAndNoLock(): void
    {
        $script = $this->folder->write('warm.php', "<?php file_put_contents('{$this->folder->path}/pid', getmypid()); if (!isset(\$argv[1])) sleep(300);");
        $process = $this->process($script);
        $process->start();
        Wait::until(fn(): bool => (string) @file_get_contents("{$this->folder->path}/pid") !== '', 'the script runs');
        $child = (int) file_get_contents("{$this->folder->path}/pid");
        $process->signal(\SIGKILL);
        $process->wait();

        Wait::until(static fn(): bool => !posix_kill($child, 0), 'the script ends');
        self::assertStringContainsString('Stored: 0 entries', $this->warm($script, 'once')->getOutput());
    }

    public function testFailuresSayWhatHappened(): void
    {
        $script = $this->folder->write('warm.php', '<?php larder_store("k", $argv[1]); exit(3);');
        $failed = $this->warm($script, 'argument');
        self::assertSame([1, "$script failed with exit code 3. What it had stored until then stays.\n"], [$failed->getExitCode(), $failed->getErrorOutput()]);
        self::assertStringContainsString('s: 1 entry', $failed->getOutput());
        $noNewline = $this->folder->write('says.php', '<?php echo "done";');
        $says = $this->warm($noNewline)->getOutput();
        self::assertStringStartsWith("done\nStored: 0 entries in ", $says);
        self::assertStringNotContainsString('Of these', $says, 'what is there may have been stored a moment before');

        $none = $this->warm("{$this->folder->path}/none.php");
        self::assertSame([3, "This user can read no file {$this->folder->path}/none.php: name the PHP script that fills the cache.\n"], [$none->getExitCode(), $none->getErrorOutput()]);
    }

    public function testFullCacheIsSaid(): void
    {
        $script = $this->folder->write('warm.php', '<?php for ($i = 0; $i < 40_000; ++$i) { larder_store("k$i", str_repeat("x", 1000)); }');
        $warm = $this->warm($script);
        self::assertMatchesRegularExpression('/^The cache is full: [\d,]+ entries were evicted meanwhile\. /', $warm->getErrorOutput());
        preg_match('/^([\d,]+) entries of that time/m', $warm->getOutput(), $kept);
        self::assertLessThan(20_000, (int) str_replace(',', '', $kept[1] ?? ''));
    }

    public function testUnitOfSystemdCarriesTheCacheOverAReboot(): void
    {
        $unit = (string) file_get_contents(Repository::ROOT . '/extension/packaging/larder-dump.service');
        preg_match_all('~^(ExecStart|ExecStop)=-?/usr/bin/php vendor/bin/(larder .*)$~m', $unit, $lines, \PREG_PATTERN_ORDER);
        self::assertSame(['ExecStart', 'ExecStop'], $lines[1]);
        [$start, $stop] = array_map(fn(string $line): string => str_replace(['/var/lib/larder', 'larder '], [$this->folder->path, 'cli/bin/larder '], $line), $lines[2]);
        $php = 'php -d extension=' . self::ENGINE . ' -d larder.path=' . $this->folder->path;
        $run = static fn(string $line): string => Process::fromShellCommandline("$php $line", Repository::ROOT)->mustRun()->getOutput();

        $segment = $run("-r 'larder_store(\"k\", \"value\"); echo larder_info()[\"path\"];'");
        $run($stop);
        unlink($segment); // as a reboot does
        self::assertSame('', $run("-r 'echo larder_fetch(\"k\");'"), 'the control');
        $run($start);
        self::assertSame('value', $run("-r 'echo larder_fetch(\"k\");'"));
    }

    public function testUnitOfSystemdIsValid(): void
    {
        $unit = (string) file_get_contents(Repository::ROOT . '/extension/packaging/larder-dump.service');
        $verify = fn(string $text): string => (new Process(['systemd-analyze', 'verify', $this->folder->write('larder-dump.service', $text)]))->mustRun()->getErrorOutput();
        if ((new ExecutableFinder())->find('systemd-analyze') === null) {
            self::markTestSkipped('systemd is not installed');
        }
        self::assertSame('', $verify($unit));
        self::assertMatchesRegularExpression('/Failed to parse (service type|Type=)/', $verify(str_replace('=oneshot', '=oneshots', $unit)), 'the control');
    }

    private function warm(string ...$arguments): Process
    {
        $process = $this->process(...$arguments);
        $process->run();

        return $process;
    }

    private function process(string ...$arguments): Process
    {
        $settings = ['-d', 'larder.path=' . $this->folder->path, '-d', 'larder.size=16M', '-d', 'apc.enable_cli=1'];

        $command = ['php', '-d', 'extension=' . self::ENGINE, ...$settings, 'cli/bin/larder', 'warm', ...array_values($arguments)];

        return new Process($command, Repository::ROOT, ['LARDER_EXTENSION' => self::ENGINE], timeout: 300);
    }
}
