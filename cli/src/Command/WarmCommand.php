<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cache;
use Larder\Cli\Inspect\Counters;
use Larder\Cli\Inspect\Engine;
use Larder\Cli\Inspect\Errors;
use Larder\Cli\Inspect\Text;
use Larder\Cli\System\Php;
use Larder\Cli\System\TiedProcess;
use Larder\Internal\Driver\Engine\Names;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Helper\Helper;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Process\Process;

/**
 * `larder warm SCRIPT`: runs a PHP script that fills the engine, in a process of its own, and says how much of what it
 * stored is still there. It exits with 0, also if the same script is warming already; with 1 if the script failed, and
 * with 3 for a mistake in the command line, and if there is no cache to fill.
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
        InspectCommand::addCommon($this, 'Not here: it fills the engine');
        $this->setHelp('With --json: "busy" (then another `warm` runs, and the rest is missing), "stored", "seconds", "entries" and '
            . '"bytes" (that are still there), "evicted", "script_code". What the script prints goes to standard error.');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $errors = Errors::of($output);
        $say = static fn(string $line) => $errors->writeln(Text::plain($line), OutputInterface::OUTPUT_RAW);
        $fail = static fn(string $why): int
            => Errors::tell($input, $output, Text::plain($why));
        $reason = InspectCommand::whyNoDsn($input, $this);
        if ($reason !== '') {
            return $fail($reason);
        }
        $isJson = $input->getOption('json') === true;
        /** @var string $script */
        $script = $input->getArgument('script');
        $path = realpath($script);
        if ($path === false || !is_file($path) || !is_readable($path)) {
            return $fail("This user can read no file $script: name the PHP script that fills the cache.");
        }
        $reason = Engine::whyNot();
        if ($reason !== '') {
            return $fail($reason);
        }
        $lock = Cache::open(InspectCommand::ENGINE)->lock("larder warm $path", self::LOCK_SECONDS);
        if ($lock === null) {
            $say("$script is warming this cache already: nothing was done.");
            $output->writeln($isJson ? Text::json(['busy' => true]) : [], OutputInterface::OUTPUT_RAW);

            return self::SUCCESS;
        }
        /** @var list<string> $arguments */
        $arguments = $input->getArgument('arguments');
        $before = Counters::read();
        $printed = $isJson ? $errors : $output;
        $code = self::runScript([$path, ...$arguments], $printed, $errors, new Steps($errors), $before->stores);
        $after = Counters::read();
        $seconds = $after->time - $before->time;
        [$entries, $bytes] = self::storedSince($seconds);
        $lock->release();

        $evicted = $after->evicted - $before->evicted;
        $output->writeln($isJson ? Text::json([
            'busy' => false,
            'stored' => $after->stores - $before->stores,
            'seconds' => $seconds,
            'entries' => $entries,
            'bytes' => $bytes,
            'evicted' => $evicted,
            'script_code' => $code,
        ]) : [
            \sprintf(
                'Stored: %s in %.1f s, by %s and by others.',
                Text::entries($after->stores - $before->stores),
                $seconds,
                Text::plain($script),
            ),
            // Not "of these": ages are whole seconds, so some may have been stored just before.
            \sprintf(
                'Now in the cache, of the last %d s: %s, %s.',
                ceil($seconds),
                Text::entries($entries),
                Helper::formatMemory($bytes),
            ),
        ], OutputInterface::OUTPUT_RAW);
        if ($evicted > 0) {
            $say(\sprintf(
                'The cache is full: %s entries were evicted meanwhile. `larder resize` makes it larger.',
                number_format($evicted),
            ));
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
        $last = [Process::OUT => "\n", Process::ERR => "\n"];
        $print = static function (string $type, string $text) use ($output, $errors, $steps, &$last): void {
            $steps->clear();
            ($type === Process::ERR ? $errors : $output)->write($text, false, OutputInterface::OUTPUT_RAW);
            $last[$type] = substr($text, -1);
        };
        $stored = static fn(): string => number_format(Counters::read()->stores - $before);
        TiedProcess::run($process, $print, static fn() => $steps->say($stored() . ' entries stored'));
        $steps->clear();
        foreach ($last as $type => $character) {
            if ($character !== "\n") {
                $print($type, "\n");
            }
        }

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
