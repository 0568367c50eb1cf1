<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\Executable;
use Larder\Cli\System\TemporaryDirectory;
use Larder\ProjectTests\Repository;

/**
 * An environment in which processes of several users run PHP with the engine built here, with a cache separate from the
 * machine's. All its processes end with stop(), and with the process that runs the tests.
 */
final class Sandbox
{
    /** Minimum size of a segment: quick to fill, and several fit into a container's /dev/shm. */
    public const SIZE = 8 << 20;

    /** Folder of the users' segments. */
    public readonly string $memory;
    private readonly TemporaryDirectory $directory;
    private readonly TemporaryDirectory $shared;
    private readonly string $engine;
    private readonly string $commandLine;

    /** @var array<string, string> paths by name */
    private array $pages = [];

    /** @var list<\Closure(): void> */
    private array $stops = [];

    public const USUAL = 'extension/modules/larder.so';

    /** A build for tests: values are unreadable between the end of a request and the next one that uses the cache. */
    public const UNREADABLE = 'var/unreadable/modules/larder.so';

    /** A build with the faults listed in tests/Engine/careless, which proofs must notice. */
    public const CARELESS = 'var/careless/modules/larder.so';

    /** @param self::USUAL|self::UNREADABLE|self::CARELESS $build the engine */
    public function __construct(string $build = self::USUAL)
    {
        $this->directory = new TemporaryDirectory();
        chmod($this->directory->path, 0o755);
        $this->shared = new TemporaryDirectory('/dev/shm');
        chmod($this->shared->path, 0o1777);
        $this->memory = $this->shared->path;
        // Other users may not reach the clone.
        $built = Repository::ROOT . '/' . $build;
        if (!is_file($built)) {
            throw new \RuntimeException("$build is not there; run dev/build-extension" . rtrim(' ' . match ($build) {
                self::USUAL => '',
                self::UNREADABLE => 'unreadable',
                self::CARELESS => 'careless',
            }));
        }
        $this->engine = $this->write('larder.so', (string) file_get_contents($built));
        // written once: an earlier process may be reading it
        $this->commandLine = $this->write('command-line.php', CommandLine::SCRIPT);
    }

    public function stop(): void
    {
        foreach (array_reverse($this->stops) as $stop) {
            $stop();
        }
        $this->stops = [];
        $this->directory->remove();
        $this->shared->remove();
    }

    /** @param \Closure(): void $stop */
    public function stopLater(\Closure $stop): void
    {
        $this->stops[] = $stop;
    }

    /** @return string path of the file, which every user can read */
    public function write(string $name, string $content): string
    {
        $path = $this->directory->write($name, $content);
        chmod($path, 0o644);

        return $path;
    }

    /** @return string path of a new folder that every user can write */
    public function folder(): string
    {
        $path = $this->directory->add(bin2hex(random_bytes(4)));
        chmod($path, 0o777);

        return $path;
    }

    /** A script that answers a request with the serialized result of the code. */
    public function page(string $code): string
    {
        $name = md5($code) . '.php';

        // Never rewritten, because a worker may be reading it.
        return $this->pages[$name] ??= $this->write($name, \sprintf('<?php $answer = (static function () { %s })(); echo serialize($answer);', $code));
    }

    /**
     * Code that returns when this many processes have run it. On a busy machine, the first could otherwise end before
     * the last begins, and one process would do the work of two.
     */
    public function meeting(int $processes): string
    {
        return \sprintf("touch('%1\$s/' . getmypid()); for (\$end = time() + 60; count(scandir('%1\$s')) < %2\$d && time() < \$end; usleep(1_000)); ", $this->folder(), 2 + $processes);
    }

    /** The result of a page(). */
    public static function answer(string $body, string $errors): mixed
    {
        $value = @unserialize($body, ['allowed_classes' => false]);

        return $value === false && $body !== serialize(false) ? throw new PhpFailed(trim("$body\n$errors")) : $value;
    }

    /**
     * A command line.
     *
     * @param array<string, string|int|null> $ini
     * @param list<string> $through a command that runs it, such as ['sh', '-c', 'umask 0; exec "$@"', 'sh']
     */
    public function commandLine(?User $user = null, array $ini = [], array $through = []): CommandLine
    {
        $command = $this->command(\PHP_BINARY, $user ?? User::site(), $ini, $through);
        $php = new CommandLine([...$command, $this->commandLine]);
        $this->stops[] = $php->stop(...);

        return $php;
    }

    /**
     * PHP-FPM.
     *
     * @param non-empty-list<PhpFpmPool>|null $pools null: one worker of the site's user
     * @param array<string, string|int|null> $ini null: PHP's own value instead of the sandbox's
     * @param User|null $user user of the master; null: the user who runs the tests
     * @param list<string> $through a command that runs it
     */
    public function fpm(?array $pools = null, array $ini = [], ?User $user = null, array $through = []): Fpm
    {
        $folder = $this->folder();
        touch("$folder/fpm.log");
        chmod("$folder/fpm.log", 0o666);
        $server = PhpFpmServer::start(
            $folder,
            $this->settings($ini),
            [$this->engine],
            $pools ?? [new PhpFpmPool(user: User::site()->name)],
            [...$through, ...($user ?? User::current())->through('TERM')],
        );
        $this->stops[] = $server->stop(...);

        return new Fpm($this, $server);
    }

    public function cgi(): Cgi
    {
        return new Cgi($this, $this->command(self::cgiProgram(), User::site()));
    }

    /**
     * php-cgi as a FastCGI server with this many children. Without children, it serves the requests itself.
     *
     * @param array<string, string|int|null> $ini
     * @param list<string> $options further options of php-cgi
     */
    public function cgiServer(int $children, ?User $user = null, array $ini = [], array $options = []): CgiServer
    {
        $command = $this->command(self::cgiProgram(), $user ?? User::site(), $ini, deathSignal: 'TERM');
        $server = CgiServer::start($this, [...$command, ...$options], $children);
        $this->stops[] = $server->process->stop(...);

        return $server;
    }

    /** @param array<string, string> $hosts content of each virtual host, by name */
    public function apache(array $hosts): Apache
    {
        $apache = Apache::start($this, $this->engine, $this->settings([]), $hosts);
        $this->stops[] = $apache->server->stop(...);

        return $apache;
    }

    public function builtInServer(): BuiltInServer
    {
        $server = BuiltInServer::start($this, $this->command(\PHP_BINARY, User::site()));
        $this->stops[] = $server->process->stop(...);

        return $server;
    }

    /**
     * Command that runs a PHP program as the user, with the engine.
     *
     * @param array<string, string|int|null> $ini
     * @param list<string> $through
     * @param 'KILL'|'TERM' $deathSignal signal that it gets when the test process dies
     * @return list<string>
     */
    public function command(string $program, User $user, array $ini = [], array $through = [], string $deathSignal = 'KILL'): array
    {
        $options = ['-d', "extension=$this->engine"];
        foreach ($this->settings(['display_errors' => 'stderr', 'log_errors' => '0', ...$ini]) as $name => $value) {
            array_push($options, '-d', "$name=$value");
        }

        return [...$through, ...$user->through($deathSignal), $program, ...$options];
    }

    /** Folder of a user's segments. */
    public function segmentFolder(?User $user = null): string
    {
        return $this->memory . '/larder-' . ($user ?? User::site())->id;
    }

    /** @return list<string> paths of a user's segments */
    public function segments(?User $user = null): array
    {
        $files = glob($this->segmentFolder($user) . '/*-' . str_repeat('[0-9a-f]', 16));

        return $files === false ? [] : $files;
    }

    /** @return list<string> mappings and descriptors of segments in a process */
    public function heldBy(int $pid): array
    {
        return Processes::holds($pid, $this->memory . '/larder-');
    }

    private static function cgiProgram(): string
    {
        $version = \PHP_MAJOR_VERSION . '.' . \PHP_MINOR_VERSION;

        return Executable::find(["php-cgi$version", 'php-cgi'], "php$version-cgi")->path;
    }

    /**
     * @param array<string, string|int|null> $ini
     * @return array<string, string|int>
     */
    private function settings(array $ini): array
    {
        return array_filter(['larder.path' => $this->memory, 'larder.size' => self::SIZE, ...$ini], static fn(mixed $value): bool => $value !== null);
    }
}
