<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\Executable;
use Larder\Cli\System\TemporaryDirectory;
use Larder\ProjectTests\Repository;

/**
 * A place where processes of several users run PHP with the engine that was built here, with a cache apart from that of
 * the machine. All that it starts ends with stop(), and with the process that runs the tests.
 */
final class Sandbox
{
    /** The least that a segment may have: quick to fill, and there is room for several in a container's /dev/shm. */
    public const SIZE = 8 << 20;

    /** Where the users' segments are. */
    public readonly string $memory;
    private readonly TemporaryDirectory $directory;
    private readonly TemporaryDirectory $shared;
    private readonly string $engine;
    private readonly string $commandLine;

    /** @var array<string, string> paths by names */
    private array $pages = [];

    /** @var list<\Closure(): void> */
    private array $stops = [];

    public const USUAL = 'extension/modules/larder.so';

    /** A build for tests: values cannot be read from the end of a request until the next one uses the cache. */
    public const UNREADABLE = 'var/unreadable/modules/larder.so';

    /** A build with the faults that tests/Engine/careless lists, which proofs must notice. */
    public const CARELESS = 'var/careless/modules/larder.so';

    /** @param self::USUAL|self::UNREADABLE|self::CARELESS $build the engine */
    public function __construct(string $build = self::USUAL)
    {
        $this->directory = new TemporaryDirectory();
        chmod($this->directory->path, 0o755);
        $this->shared = new TemporaryDirectory('/dev/shm');
        chmod($this->shared->path, 0o1777);
        $this->memory = $this->shared->path;
        // The clone may lie where other users cannot reach it.
        $built = Repository::ROOT . '/' . $build;
        if (!is_file($built)) {
            throw new \RuntimeException("$build is not there; run dev/build-extension" . rtrim(' ' . match ($build) {
                self::USUAL => '',
                self::UNREADABLE => 'unreadable',
                self::CARELESS => 'careless',
            }));
        }
        $this->engine = $this->write('larder.so', (string) file_get_contents($built));
        $this->commandLine = $this->write('command-line.php', CommandLine::SCRIPT); // once: the process before may just be reading it
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

    /** @return string the path of the file, which every user can read */
    public function write(string $name, string $content): string
    {
        $path = $this->directory->write($name, $content);
        chmod($path, 0o644);

        return $path;
    }

    /** @return string the path of a new folder that every user can write to */
    public function folder(): string
    {
        $path = $this->directory->add(bin2hex(random_bytes(4)));
        chmod($path, 0o777);

        return $path;
    }

    /** A script that answers to a request with what the code returns, serialized. */
    public function page(string $code): string
    {
        $name = md5($code) . '.php';

        // Never rewritten, because a worker may be reading it.
        return $this->pages[$name] ??= $this->write($name, \sprintf('<?php $answer = (static function () { %s })(); echo serialize($answer);', $code));
    }

    /**
     * Code that returns when so many processes have run it. On a busy machine the first would have ended before the last
     * begins, and so one would do the work of two.
     */
    public function meeting(int $processes): string
    {
        return \sprintf("touch('%1\$s/' . getmypid()); for (\$end = time() + 60; count(scandir('%1\$s')) < %2\$d && time() < \$end; usleep(1_000)); ", $this->folder(), 2 + $processes);
    }

    /** What page() has printed. */
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
     * @param array<string, string|int|null> $ini null: PHP's own, where the sandbox has another
     * @param User|null $user who runs the master; null: who runs the tests
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
     * php-cgi that waits for requests, a parent with so many children; without children the process serves them itself.
     *
     * @param array<string, string|int|null> $ini
     * @param list<string> $options of php-cgi besides
     */
    public function cgiServer(int $children, ?User $user = null, array $ini = [], array $options = []): CgiServer
    {
        $command = $this->command(self::cgiProgram(), $user ?? User::site(), $ini, deathSignal: 'TERM');
        $server = CgiServer::start($this, [...$command, ...$options], $children);
        $this->stops[] = $server->process->stop(...);

        return $server;
    }

    /** @param array<string, string> $hosts by their names: what stands in the virtual host */
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
     * The command that runs a PHP program of the user with the engine.
     *
     * @param array<string, string|int|null> $ini
     * @param list<string> $through
     * @param 'KILL'|'TERM' $deathSignal what it gets when the tests die
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

    /** The folder of a user's segments. */
    public function segmentFolder(?User $user = null): string
    {
        return $this->memory . '/larder-' . ($user ?? User::site())->id;
    }

    /** @return list<string> the segments of a user */
    public function segments(?User $user = null): array
    {
        $files = glob($this->segmentFolder($user) . '/*-' . str_repeat('[0-9a-f]', 16));

        return $files === false ? [] : $files;
    }

    /** @return list<string> what a process has of segments: its mappings and descriptors */
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
