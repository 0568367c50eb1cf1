<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Inspect\Errors;
use Larder\Cli\Inspect\Text;
use Larder\Cli\System\Php;
use Larder\Internal\Driver\Engine\Segments;
use Larder\Internal\Process\User;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Style\SymfonyStyle;
use Symfony\Component\Process\Process;

/**
 * `larder resize`: replaces the engine's segment by an empty one with the settings of php.ini, or with those given
 * here. A segment keeps the size, process limit and pin share of its creation, so they can only be changed by a new
 * segment. All processes of this user switch to it within a second, or at their next request. Exits with 0, or with 1
 * and the reason if no segment can be created; with 3 for a mistake in the command line. It asks before it drops what is
 * in the cache, or needs --yes if there is no terminal.
 */
#[AsCommand('resize', 'Replace the engine\'s memory by an empty one of another size')]
final class ResizeCommand extends Command
{
    /** Settings that are fixed for a segment, and its name, by the option that sets each. */
    private const SETTINGS = [
        'size' => 'larder.size', 'processes' => 'larder.processes', 'pin-share' => 'larder.pin_share',
        'segment' => 'larder.segment', 'path' => 'larder.path',
    ];

    /** PHP code for a new process, because these settings are read when a process attaches. */
    private const CODE = 'if (!extension_loaded("larder")) { echo "PHP does not load the extension larder by itself: '
        . 'add extension=larder to php.ini. Nothing was changed."; exit(1); } '
        . 'foreach (json_decode($argv[1], true) as $name => $value) { if (ini_get($name) !== $value) { '
        . 'echo "Nothing was changed."; exit(1); } } '
        . 'if (!larder_resize()) { echo larder_info()["reason"]; exit(1); } larder_fetch("k"); $info = larder_info(); '
        . '$isOld = $info["age"] > microtime(true) - $_SERVER["REQUEST_TIME_FLOAT"]; '
        . 'echo json_encode([bin2hex($info["path"]), $info["size"], $info["processes"]["limit"], $isOld]);';

    /** Prints 1 if the segment has other settings, and entries that a new one would not have. */
    private const LOOK = 'if (extension_loaded("larder")) { larder_fetch("k"); '
        . 'echo (int) (larder_info()["settings"] ?? [] and (new LarderIterator())->valid()); }';

    protected function configure(): void
    {
        $this->addArgument(
            'size',
            InputArgument::OPTIONAL,
            'The new larder.size, such as 128M; default: that of php.ini',
        );
        foreach (self::SETTINGS as $name => $setting) {
            if ($name !== 'size') {
                $this->addOption(
                    $name,
                    null,
                    InputOption::VALUE_REQUIRED,
                    \sprintf('%s; default: that of php.ini', $setting),
                );
            }
        }
        InspectCommand::addCommon($this, 'Not here: the engine alone has a segment');
        $this->setHelp('With --json: "path", "size" (bytes) and "processes" of the segment, "is_new".');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $errors = Errors::of($output);
        $isJson = $input->getOption('json') === true;
        $reason = InspectCommand::whyNoDsn($input, $this);
        if ($reason !== '') {
            return Errors::tell($input, $output, $reason);
        }
        if (!\extension_loaded('larder')) {
            $why = 'The extension larder is not loaded, so there is no segment to resize.';

            return Errors::tell($input, $output, $why);
        }
        $settings = [];
        foreach (self::SETTINGS as $name => $setting) {
            $value = $name === 'size' ? $input->getArgument('size') : $input->getOption($name);
            if (\is_string($value)) {
                $settings[$setting] = $value;
            }
        }
        $named = isset($settings['larder.path']) ? null : $settings['larder.segment'] ?? null;
        $segments = Segments::all()[posix_geteuid()] ?? [];
        if ($named !== null && !isset($segments[$named])) { // a mistyped one would be made
            return Errors::tell($input, $output, Text::plain(InspectCommand::noSegment($named, $segments)));
        }
        $warning = isset($settings['larder.segment']) || isset($settings['larder.path'])
            ? ''
            : Segments::clearedInstead(self::keys());
        $php = new Php(
            ['log_errors' => '0', 'display_errors' => 'stderr', 'display_startup_errors' => '1', ...$settings],
        );
        if ($input->getOption('yes') !== true && self::dropsEntries($php)) {
            $what = \sprintf('segment %s of %s', $settings['larder.segment'] ?? ini_get('larder.segment'), User::name());
            if (!$input->isInteractive() || !stream_isatty(\STDIN)) {
                $why = "To drop what is in $what, add --yes. To keep it: larder dump FILE, and larder load FILE after";

                return Errors::tell($input, $output, $why);
            }
            $question = "Drop what is in $what? (larder dump FILE, and larder load FILE after, keep it)";
            if (!(new SymfonyStyle($input, $output))->confirm($question, false)) {
                return Command::FAILURE;
            }
        }
        $process = new Process(
            $php->command(['-r', self::CODE, '--', json_encode($settings, \JSON_THROW_ON_ERROR | \JSON_FORCE_OBJECT)]),
            env: $php->environment(),
        );
        $process->run();
        // PHP warns of a refused value at startup, where the warning can name no line of a file.
        $warnings = preg_replace(
            '~^Warning: +(.*?)(?:; the value is ignored)? in Unknown on line 0$~m',
            '$1.',
            trim($process->getErrorOutput()),
        );
        if (!$process->isSuccessful()) {
            $said = trim($warnings . "\n" . $process->getOutput());
            return Errors::tell($input, $output, $said, Command::FAILURE);
        }
        /** @var array{string, int, int, bool} $made */
        $made = json_decode($process->getOutput(), true, 4, \JSON_THROW_ON_ERROR);
        [$path, $size, $processes, $isOld] = $made;
        $path = (string) hex2bin($path);
        if ($isJson) {
            $data = ['path' => Text::utf8($path), 'size' => $size, 'processes' => $processes, 'is_new' => !$isOld];
            $output->writeln(Text::json($data), OutputInterface::OUTPUT_RAW);
        } else {
            $output->writeln([
                ...($warnings === '' ? [] : [$warnings]),
                \sprintf('%s: %d MiB, %d processes', $path, $size >> 20, $processes),
                $isOld
                    ? 'It had these settings before, so nothing was changed. To empty it: larder delete --all'
                    : \sprintf(
                        'The new segment is empty. All processes of user %d switch to it within a second, '
                            . 'or at their next request.',
                        posix_geteuid(),
                    ),
                ...self::toKeep($settings),
            ], OutputInterface::OUTPUT_RAW);
        }
        if ($warning !== '') {
            $errors->writeln($warning, OutputInterface::OUTPUT_RAW);
        }

        return Command::SUCCESS;
    }

    private static function dropsEntries(Php $php): bool
    {
        $look = new Process($php->command(['-r', self::LOOK]), env: $php->environment());
        $look->run();

        return $look->getOutput() === '1';
    }

    /**
     * @param array<string, string> $settings
     * @return list<string> what php.ini must say for the settings to stay
     */
    private static function toKeep(array $settings): array
    {
        $lines = [];
        foreach (array_diff_key($settings, ['larder.segment' => 0, 'larder.path' => 0]) as $name => $value) {
            $here = (string) ini_get($name);
            if ($here !== $value) {
                $lines[] = "Set $name=$value in php.ini of each PHP, too: there the next new segment has $here again.";
            }
        }

        return $lines;
    }

    /** @return iterable<string> */
    private static function keys(): iterable
    {
        foreach (new \LarderIterator() as $key => $info) {
            yield $key;
        }
    }
}
