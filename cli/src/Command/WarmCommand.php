<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\Cli\Inspect\Counters;
use Larder\Cli\Inspect\Text;
use Larder\Cli\System\Php;
use Larder\Cli\System\TiedProcess;
use Larder\Internal\Driver\Engine\Names;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Helper\Helper;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Process\Process;

/**
 * `larder warm SCRIPT`: runs a PHP script that fills the engine, in a process of its own, and says how much of what it
 * stored is still there. It exits with 0, also if the same script is warming already; with 1 if the script failed, with
 * 2 for a mistake in the command line, and with 3 if there is no cache to fill.
 */
#[AsCommand('warm', 'Run a PHP script that fills the cache')]
final class WarmCommand extends Command
{
    /** Ends with the process that has it. */
    private const LOCK_SECONDS = 7 * 86400;

    protected function configure(): void
    {
        $this->addArgument('script', InputArgument::REQUIRED, 'Stores values as the application does: docs/operate.md');
        $this->addArgument('arguments', InputArgument::IS_ARRAY, 'Of the script; after --, if they begin with a hyphen');
        InspectCommand::addUserAndSegment($this);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        $say = static fn(string $line) => $errors->writeln(Text::plain($line), OutputInterface::OUTPUT_RAW);
        /** @var string $script */
        $script = $input->getArgument('script');
        $path = realpath($script);
        if ($path === false || !is_file($path) || !is_readable($path)) {
            $say("This user can read no file $script: name the PHP script that fills the cache.");

            return self::INVALID;
        }
        $reason = InspectCommand::whyNoEngine();
        if ($reason !== '') {
            $say($reason);

            return InspectCommand::UNAVAILABLE;
        }
        $lock = Cache::open(InspectCommand::ENGINE)->lock("larder warm $path", self::LOCK_SECONDS);
        if ($lock === null) {
            $say("$script is warming this cache already: nothing was done.");

            return self::SUCCESS;
        }
        /** @var list<string> $arguments */
        $arguments = $input->getArgument('arguments');
        $before = Counters::read();
        $code = self::runScript([$path, ...$arguments], $output, $errors, new Steps($errors), $before->stores);
        $after = Counters::read();
        $seconds = $after->time - $before->time;
        [$entries, $bytes] = self::storedSince($seconds);
        $lock->release();

        $output->writeln([
            \sprintf(
                '%s entries were stored in %.1f s, by %s and by others.',
                number_format($after->stores - $before->stores),
                $seconds,
                Text::plain($script),
            ),
            \sprintf('%s entries of that time are in the cache: %s.', number_format($entries), Helper::formatMemory($bytes)),
        ], OutputInterface::OUTPUT_RAW);
        $evicted = $after->evicted - $before->evicted;
        if ($evicted > 0) {
            $say(\sprintf('The cache is full: %s entries were evicted meanwhile. `larder resize` makes it larger.', number_format($evicted)));
        }
        if ($code !== 0) {
            $say("$script failed with exit code $code. What it had stored until then stays.");
        }

        return $code === 0 ? self::SUCCESS : self::FAILURE;
    }

    /**
     * @param list<string> $words the script, and its arguments
     * @return int its exit code
     */
    private static function runScript(
        array $words,
        OutputInterface $output,
        OutputInterface $errors,
        Steps $steps,
        int $before,
    ): int {
        $process = new Process(TiedProcess::toThisProcess((new Php())->command($words)), timeout: null);
        $steps->begin('warm');
        TiedProcess::run($process, static function (string $type, string $text) use ($output, $errors, $steps): void {
            $steps->clear();
            ($type === Process::ERR ? $errors : $output)->write($text, false, OutputInterface::OUTPUT_RAW);
        }, static fn() => $steps->say(\sprintf('%s entries stored', number_format(Counters::read()->stores - $before))));
        $steps->clear();

        return $process->getExitCode() ?? self::FAILURE;
    }

    /** @return array{int, int} the application's entries that are no older, and their bytes */
    private static function storedSince(float $seconds): array
    {
        $names = Names::ofSegment();
        $entries = $bytes = 0;
        /** @var array{age: int, size: int} $info */
        foreach (new \LarderIterator() as $stored => $info) {
            if ($info['age'] <= ceil($seconds) && !\in_array($names->of($stored), [Names::LIBRARY, Names::CLEARED], true)) {
                ++$entries;
                $bytes += $info['size'];
            }
        }

        return [$entries, $bytes];
    }
}
