<?php

declare(strict_types=1);

namespace Larder\Cli;

use Larder\Cli\Command\CompareCommand;
use Larder\Cli\Command\DeleteCommand;
use Larder\Cli\Command\DoctorCommand;
use Larder\Cli\Command\DuCommand;
use Larder\Cli\Command\DumpCommand;
use Larder\Cli\Command\GetCommand;
use Larder\Cli\Command\KeysCommand;
use Larder\Cli\Command\ListenCommand;
use Larder\Cli\Command\LoadCommand;
use Larder\Cli\Command\ResizeCommand;
use Larder\Cli\Command\SampleCommand;
use Larder\Cli\Command\SerializersCommand;
use Larder\Cli\Command\StampedeCommand;
use Larder\Cli\Command\TopCommand;
use Larder\Cli\Command\WarmCommand;
use Larder\Cli\Inspect\Errors;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Command\HelpCommand;
use Symfony\Component\Console\Exception\ExceptionInterface;
use Symfony\Component\Console\Helper\Helper;
use Symfony\Component\Console\Input\InputDefinition;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\BufferedOutput;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Terminal;

/** The command `larder`. Without the name of a command, or by `larder list`, it lists the commands, a line each. */
final class Application extends \Symfony\Component\Console\Application
{
    /** Options of every command, with texts of one line. -n is the number of rows, as in head and tail. */
    private const COMMON = [
        'help' => 'Show this help',
        'silent' => 'Print nothing',
        'quiet' => 'Print errors only',
        'no-interaction' => 'Ask nothing',
        'verbose' => 'Print more: -v, -vv or -vvv',
    ];

    /** Most letters in which a mistyped option differs from the one that is meant. */
    private const TYPING_ERRORS = 2;

    private ?Command $running = null;

    public function __construct()
    {
        parent::__construct('larder');
        $this->addCommands([
            new CompareCommand(),
            new DeleteCommand(),
            new DoctorCommand(),
            new DuCommand(),
            new DumpCommand(),
            new GetCommand(),
            new KeysCommand(),
            new ListenCommand(),
            new LoadCommand(),
            new ResizeCommand(),
            new SampleCommand(),
            new SerializersCommand(),
            new StampedeCommand(),
            new TopCommand(),
            new WarmCommand(),
        ]);
    }

    /** What failed, and where the options are listed. With -v, or for a programming error, Symfony's trace. */
    public function renderThrowable(\Throwable $e, OutputInterface $output): void
    {
        if ($e instanceof \Error || $output->isVerbose()) {
            parent::renderThrowable($e, $output);

            return;
        }
        $output->writeln($this->lines($e), OutputInterface::VERBOSITY_QUIET | OutputInterface::OUTPUT_RAW);
    }

    /** @return list<string> */
    private function lines(\Throwable $e): array
    {
        $command = $this->running?->getName();
        $name = 'larder' . ($command === null ? '' : " $command");
        $lines = ["$name: " . trim($e->getMessage()) . $this->suggestion($e->getMessage())];
        if ($e instanceof ExceptionInterface) {
            $lines[] = $command === null ? 'All commands: larder --help' : "All options: $name --help";
        }

        return $lines;
    }

    protected function doRunCommand(Command $command, InputInterface $input, OutputInterface $output): int
    {
        $this->running = $command;
        if (!$command instanceof HelpCommand || $input->hasParameterOption('--format')) {
            try {
                return parent::doRunCommand($command, $input, $output);
            } catch (ExceptionInterface $mistake) {
                // Commands for operation end as monitoring programs expect it.
                if (!$command->getDefinition()->hasOption('yes')) {
                    throw $mistake;
                }
                $lines = implode("\n", $this->lines($mistake));

                return Errors::tell($input, $output, $lines);
            }
        }
        $help = new BufferedOutput($output->getVerbosity(), $output->isDecorated(), $output->getFormatter());
        $code = parent::doRunCommand($command, $input, $help);
        $output->write(self::folded($help->fetch(), (new Terminal())->getWidth()), false, OutputInterface::OUTPUT_RAW);

        return $code;
    }

    /** Continues long lines under their last column; of a paragraph that is too wide, the lines are joined before. */
    private static function folded(string $text, int $width): string
    {
        $wide = '/^(  [^\s\e-](?!.*  ).{' . ($width - 2) . ',})\n  (?=[^\s\e-])/m';
        do {
            $text = (string) preg_replace($wide, '$1 ', $text, count: $joined);
        } while ($joined > 0);
        $columns = '/^( *(?:\e\[\d+m)? {0,4}\S+(?: \S+)*? {2,}| +)(\S.*)$/m';

        return (string) preg_replace_callback($columns, static function (array $line) use ($width): string {
            $column = Helper::width((string) preg_replace('/\e\[\d+m/', '', $line[1]));

            return $line[1] . wordwrap($line[2], max(20, $width - $column), "\n" . str_repeat(' ', $column));
        }, $text);
    }

    /** " Is --quick meant?" for an option that does not exist, but nearly does. */
    private function suggestion(string $message): string
    {
        if ($this->running === null || preg_match('/^The "--(.+)" option does not exist/', $message, $unknown) !== 1) {
            return '';
        }
        $distances = [];
        foreach ($this->running->getDefinition()->getOptions() as $name => $_) {
            $distances[$name] = levenshtein($unknown[1], $name);
        }
        asort($distances);
        $nearest = array_key_first($distances);

        return $nearest === null || $distances[$nearest] > self::TYPING_ERRORS ? '' : " Is --$nearest meant?";
    }

    protected function getDefaultInputDefinition(): InputDefinition
    {
        $definition = parent::getDefaultInputDefinition();
        $options = $definition->getOptions();
        foreach (self::COMMON as $name => $text) {
            $shortcut = $name === 'no-interaction' ? null : $options[$name]->getShortcut();
            $options[$name] = new InputOption($name, $shortcut, InputOption::VALUE_NONE, $text);
        }
        $definition->setOptions($options);

        return $definition;
    }

    public function doRun(InputInterface $input, OutputInterface $output): int
    {
        $isCommand = !\in_array($this->getCommandName($input), [null, 'list'], true);
        if ($isCommand || $input->hasParameterOption(['--version', '-V', '--raw', '--format'], true)) {
            return parent::doRun($input, $output);
        }
        $output->writeln([
            'Measure, check and maintain the caches of PHP on this machine.',
            '',
            '<comment>Usage:</comment> larder COMMAND [OPTIONS]',
            '',
            '<comment>Commands:</comment>',
        ]);
        foreach ($this->all() as $name => $command) {
            if (!\in_array($name, ['completion', 'help', 'list'], true) && !str_starts_with($name, '_')) {
                $output->writeln(\sprintf('  <info>%-12s</info> %s', $name, $command->getDescription()));
            }
        }
        $output->writeln([
            '',
            '<comment>Examples:</comment>',
            '  larder doctor                  which stores work here?',
            '  larder compare --quick         how fast is each of them?',
            '  larder compare --help          options of a command',
        ]);

        return Command::SUCCESS;
    }
}
