<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\Cli\Inspect\Text;
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
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * A command that inspects a cache. By default this is the current user's segment of the engine, where inspecting leaves
 * no trace. Exits with 0; with 1 if there is nothing to show or delete; with 2 for an error in the command line; with 3
 * if the cache cannot be read.
 */
abstract class InspectCommand extends Command
{
    public const UNAVAILABLE = 3;
    public const ENGINE = 'larder:';

    protected function configure(): void
    {
        $dsn = 'Another cache, such as redis://127.0.0.1?namespace=shop';
        $this->addOption('dsn', null, InputOption::VALUE_REQUIRED, $dsn, self::ENGINE);
        $this->addOption('json', null, InputOption::VALUE_NONE, 'Write JSON');
        self::addUserAndSegment($this);
    }

    /** Declared only for --help: bin/restart.php has handled both before this process started. */
    final public static function addUserAndSegment(Command $command): void
    {
        $command->addOption('user', null, InputOption::VALUE_REQUIRED, 'For root: work as this user, in its cache');
        $command->addOption('segment', null, InputOption::VALUE_REQUIRED, 'Another segment than larder.segment');
    }

    final protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $isEngine = $input->getOption('dsn') === self::ENGINE;
        $reason = $isEngine ? self::whyNot() : '';
        if ($reason !== '') {
            $this->unavailable($input, $output);

            return $this->fail($output, $reason, self::UNAVAILABLE);
        }
        if ($isEngine) {
            $hint = Segments::clearedInstead((static function (): \Generator {
                for ($entries = new \LarderIterator(); $entries->valid(); $entries->next()) {
                    yield (string) $entries->key();
                }
            })());
            if ($hint !== '') {
                $this->fail($output, $hint);
            }
            $beside = ini_get('larder.segment') . Apcu::SEGMENT;
            if (!(new \LarderIterator())->valid() && isset(Segments::all()[posix_geteuid()][$beside])) {
                $this->fail($output, "This segment is empty. Beside it, $beside " . Apcu::IS_HERE);
            }
        }

        try {
            $cache = $isEngine ? null : Cache::open($this->text($input, 'dsn'));
            $cache?->reach();

            return $this->inspect($input, $output, $cache);
        } catch (InvalidDsn|InvalidKey|NotSupported $mistake) {
            return $this->fail($output, $mistake->getMessage(), self::INVALID);
        } catch (CacheException $failure) {
            return $this->fail($output, $failure->getMessage(), self::UNAVAILABLE);
        }
    }

    /** @param Cache|null $cache null for the segment of this user */
    abstract protected function inspect(InputInterface $input, OutputInterface $output, ?Cache $cache): int;

    /** Called where this user has no cache, before the reason is printed. */
    protected function unavailable(InputInterface $input, OutputInterface $output): void {}

    protected function fail(OutputInterface $output, string $message, int $code = self::INVALID): int
    {
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        $errors->writeln(Text::plain($message), OutputInterface::OUTPUT_RAW);

        return $code;
    }

    /** @return string an argument or option; "" if it is not given */
    protected function text(InputInterface $input, string $name): string
    {
        $value = $input->hasArgument($name) ? $input->getArgument($name) : $input->getOption($name);

        return \is_string($value) ? $value : '';
    }

    protected static function where(): string
    {
        return \sprintf('%s, segment %s', User::name(), ini_get('larder.segment'));
    }

    private static function whyNot(): string
    {
        $segment = (string) ini_get('larder.segment');

        return str_ends_with($segment, Apcu::SEGMENT) ? "$segment " . Apcu::IS_HERE : self::whyNoEngine();
    }

    /** @return string "" if this process has a cache */
    final public static function whyNoEngine(): string
    {
        if (!\extension_loaded('larder')) {
            return 'The extension larder is not loaded: larder doctor says how to get it';
        }
        $info = larder_info(false);

        return match (true) {
            $info['available'] === true => '',
            \is_string($info['reason']) => $info['reason'],
            default => 'No cache is available',
        };
    }
}
