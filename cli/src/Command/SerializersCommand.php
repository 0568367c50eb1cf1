<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Compare\Value;
use Larder\Cli\Report\Figure;
use Larder\Cli\Serializers\Encoding;
use Larder\Cli\System\Machine;
use Larder\Cli\Timing\Loop;
use Larder\Cli\Timing\Statistics;
use Larder\Cli\Timing\Timer;
use Larder\Internal\Codec\Compression;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * `larder serializers`: measures how many bytes each serializer and compression produces, and their speed.
 * docs/values.md.
 */
#[AsCommand('serializers', 'Measure size and speed of serializers, compression and signatures')]
final class SerializersCommand extends Command
{
    private const ROUNDS = 15;
    private const KEY = 'key';

    protected function configure(): void
    {
        $this
            ->addOption(
                'values',
                null,
                InputOption::VALUE_REQUIRED,
                'Only these values: ' . implode(', ', array_keys(Value::all())),
            )
            ->addOption('rounds', null, InputOption::VALUE_REQUIRED, \sprintf('Rounds per figure; %d', self::ROUNDS));
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $values = $input->getOption('values');
        $names = ListOption::of(array_keys(Value::all()), \is_string($values) ? $values : null, 'values');
        $rounds = Number::of($input->getOption('rounds'), self::ROUNDS, 'rounds');
        $output->writeln([
            \sprintf('PHP %s, %s, %s', \PHP_VERSION, Machine::processor(), Machine::system()),
            ...array_map(
                static fn(string $extension): string
                    => \sprintf('Not measured: %s (the extension is not loaded)', $extension),
                Encoding::missing(),
            ),
            ...Machine::obstacles(get_loaded_extensions(), ini_get('zend.assertions')),
            '',
            \sprintf('%-14s %-10s %-11s %11s %12s %12s', 'value', 'serializer', 'with', 'bytes', 'encode', 'decode'),
        ]);
        foreach ($names as $name) {
            $this->measure($name, $rounds, $output);
        }

        return Command::SUCCESS;
    }

    private function measure(string $name, int $rounds, OutputInterface $output): void
    {
        $value = Value::all()[$name]->make(0);
        $bytes = [];
        $works = [];
        foreach (Encoding::all() as $i => $way) {
            $codec = $way->codec;
            $bytes[$i] = $codec->encode($value, self::KEY);
            if ($codec->decode($bytes[$i], self::KEY) !== $value) {
                throw new \RuntimeException(
                    \sprintf('%s: %s decoded another value than it encoded', $name, $way->serializer),
                );
            }
            $works[] = Loop::calling(static fn(): string => $codec->encode($value, self::KEY));
            $works[] = Loop::calling(static fn(): mixed => $codec->decode($bytes[$i], self::KEY));
        }
        $times = array_map(Statistics::median(...), (new Timer())->measure($works, $rounds));
        foreach (Encoding::all() as $i => $way) {
            $isLeftOut = $way->compression !== 'none' && Compression::ofFormat($bytes[$i][0]) === null;
            $output->writeln(\sprintf(
                '%-14s %-10s %-11s %11s %12s %12s',
                $name,
                $way->serializer,
                $way->isSigned ? 'signature' : ($way->compression === 'none' ? '' : $way->compression),
                $isLeftOut ? 'not smaller' : number_format(\strlen($bytes[$i])),
                Figure::duration($times[2 * $i]),
                $isLeftOut ? '' : Figure::duration($times[2 * $i + 1]),
            ));
        }
    }
}
