<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\Cli\Inspect\Engine;
use Larder\Cli\Inspect\Errors;
use Larder\Cli\Inspect\ServerEntries;
use Larder\Cli\Inspect\Servers;
use Larder\Cli\Inspect\Text;
use Larder\Cli\Operator\Agent;
use Larder\Cli\System\ServerFailed;
use Larder\Exception\CacheException;
use Larder\Exception\InvalidDsn;
use Larder\Exception\InvalidKey;
use Larder\Exception\NotSupported;
use Larder\Internal\Driver\Apcu\Apcu;
use Larder\Internal\Driver\Engine\Segments;
use Larder\Internal\Process\User;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * A command that inspects a cache. By default this is the current user's segment of the engine, where inspecting leaves
 * no trace. Exits with 0; with 1 if there is nothing to show or delete; with 3, as monitoring programs read it, for a
 * mistake in the command line, and if the cache cannot be read.
 */
abstract class InspectCommand extends Command
{
    public const ENGINE = 'larder:';

    private InputInterface $input;

    protected function configure(): void
    {
        $this->addOption('fcgi', null, InputOption::VALUE_REQUIRED, 'Work in the pool of PHP-FPM at this socket');
        self::addCommon($this, 'Another cache, such as redis://127.0.0.1?namespace=shop', self::ENGINE);
    }

    /**
     * The options that every command for operation takes, or refuses with a reason.
     *
     * @param string $dsn what --dsn is for
     */
    final public static function addCommon(Command $command, string $dsn, ?string $default = null): void
    {
        // The first two are declared only for --help: bin/restart.php has handled both before this process started.
        $command->addOption('user', null, InputOption::VALUE_REQUIRED, 'For root: work as this user, in its cache');
        if (!$command->getDefinition()->hasOption('segment')) {
            $command->addOption('segment', null, InputOption::VALUE_REQUIRED, 'Another segment than larder.segment');
        }
        $command->addOption('dsn', null, InputOption::VALUE_REQUIRED, $dsn, $default);
        $command->addOption('json', null, InputOption::VALUE_NONE, 'Write JSON');
        $command->addOption('yes', 'y', InputOption::VALUE_NONE, 'Do not ask');
    }

    /** @return string why --dsn is refused by a command that works in the engine only; "" if it is not given */
    final public static function whyNoDsn(InputInterface $input, Command $command): string
    {
        $dsn = $input->getOption('dsn');

        return $dsn === null || $dsn === self::ENGINE ? ''
            : \sprintf('larder %s works in the engine only, so it takes no --dsn', $command->getName());
    }

    final protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $this->input = $input;
        if ($input->getOption('fcgi') !== null) {
            return $this->inPool($input, $output);
        }
        $isEngine = $input->getOption('dsn') === self::ENGINE;
        $reason = $isEngine ? Engine::whyNotShown() : '';
        if ($reason !== '') {
            return $this->fail($output, $reason);
        }
        if ($isEngine) {
            $hint = Segments::clearedInstead((static function (): \Generator {
                for ($entries = new \LarderIterator(); $entries->valid(); $entries->next()) {
                    yield (string) $entries->key();
                }
            })());
            if ($hint !== '') {
                $this->say($output, $hint);
            }
            $mistake = (new \LarderIterator())->valid() ? '' : $this->whyEmpty($output);
            if ($mistake !== '') {
                return $this->fail($output, $mistake);
            }
        }

        try {
            $cache = $isEngine ? null : Cache::open($this->text($input, 'dsn'));
            $cache?->reach();

            return $this->inspect($input, $output, $cache);
        } catch (InvalidDsn|InvalidKey|NotSupported $mistake) {
            return $this->fail($output, $mistake->getMessage());
        } catch (CacheException $failure) {
            return $this->fail($output, $failure->getMessage());
        }
    }

    /** @return string what is wrong about a segment without entries; "" if nothing is, and its neighbour was named */
    private function whyEmpty(OutputInterface $output): string
    {
        $segments = Segments::all()[(int) User::id()] ?? [];
        $beside = ini_get('larder.segment') . Apcu::SEGMENT;
        if (isset($segments[$beside])) {
            $this->say($output, "This segment is empty. Beside it, $beside " . Apcu::IS_HERE);
        }
        $asked = getenv('LARDER_SEGMENT'); // of bin/restart.php, or of the Agent: --segment
        if ($asked === false || $asked !== ini_get('larder.segment') || larder_info(false)['path'] !== '') {
            return '';
        }
        return self::noSegment($asked, $segments);
    }

    /** @param array<array-key, mixed> $segments of this user, by name */
    public static function noSegment(string $asked, array $segments): string
    {
        // Those of the module and of sessions have other layouts.
        $isShown = static fn(int|string $name): bool
            => !str_ends_with("$name", Apcu::SEGMENT) && !str_ends_with("$name", '.sessions');
        $others = array_filter(array_keys($segments), $isShown);

        return "There is no segment $asked of " . User::name() . '. There are: '
            . ($others === [] ? 'none' : implode(', ', $others));
    }

    private function inPool(InputInterface $input, OutputInterface $output): int
    {
        try {
            return Agent::relay($this->text($input, 'fcgi'), $input, $this->getDefinition(), $output);
        } catch (ServerFailed $failure) {
            return $this->fail($output, $failure->getMessage());
        }
    }

    /** @param Cache|null $cache null for the segment of this user */
    abstract protected function inspect(InputInterface $input, OutputInterface $output, ?Cache $cache): int;

    protected function fail(OutputInterface $output, string $message, int $code = Errors::UNKNOWN): int
    {
        return Errors::tell($this->input, $output, Text::plain($message), $code);
    }

    /** On standard error, beside what was asked for. */
    protected function say(OutputInterface $output, string $message): void
    {
        Errors::of($output)->writeln(Text::plain($message), OutputInterface::OUTPUT_RAW);
    }

    /** @return string an argument or option; "" if it is not given */
    protected function text(InputInterface $input, string $name): string
    {
        $value = $input->hasArgument($name) ? $input->getArgument($name) : $input->getOption($name);

        return \is_string($value) ? $value : '';
    }

    /** @return ServerEntries|null all that is on the server of --dsn; null for a namespace on it, and for other stores */
    protected function server(InputInterface $input): ?ServerEntries
    {
        return Servers::at($this->text($input, 'dsn'));
    }

    protected static function where(): string
    {
        return \sprintf('%s, segment %s', User::name(), ini_get('larder.segment'));
    }
}
