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
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputDefinition;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/** The command `larder`. Without the name of a command it lists the commands, a line each, as `larder --help` does. */
final class Application extends \Symfony\Component\Console\Application
{
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

    /** -n is the number of rows, as in head and tail; --no-interaction has no short form. */
    protected function getDefaultInputDefinition(): InputDefinition
    {
        $definition = parent::getDefaultInputDefinition();
        $options = $definition->getOptions();
        $options['no-interaction'] = new InputOption('no-interaction', null, InputOption::VALUE_NONE, 'Do not ask');
        $definition->setOptions($options);

        return $definition;
    }

    public function doRun(InputInterface $input, OutputInterface $output): int
    {
        if ($this->getCommandName($input) !== null || $input->hasParameterOption(['--version', '-V'], true)) {
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
