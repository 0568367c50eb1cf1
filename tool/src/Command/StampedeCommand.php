<?php

declare(strict_types=1);

namespace Larder\Tool\Command;

use Larder\Tool\Compare\Places;
use Larder\Tool\Machine;
use Larder\Tool\Php;
use Larder\Tool\Server\MariaDbServer;
use Larder\Tool\Server\ServerFailed;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Process\Process;

/** `larder stampede`: what remember() does when many processes need the same missing value at once. docs/remember.md. */
#[AsCommand('stampede', 'Measures remember() when many processes need the same missing value at once')]
final class StampedeCommand extends Command
{
    private const SECONDS = 120.0;

    protected function configure(): void
    {
        $this
            ->addArgument('address', InputArgument::IS_ARRAY | InputArgument::OPTIONAL, 'Such as file:///var/cache/app; it is cleared. Without any: every store, in places of its own')
            ->addOption('processes', null, InputOption::VALUE_REQUIRED, 'How many', '100')
            ->addOption('compute', null, InputOption::VALUE_REQUIRED, 'Milliseconds that it takes to compute', '50')
            ->addOption('lease', null, InputOption::VALUE_REQUIRED, 'Seconds after which a server lets another compute', '1');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        if (!\function_exists('pcntl_fork')) {
            $output->writeln('The extension pcntl is not loaded, by which processes are made. Debian has it in php-cli.');

            return Command::FAILURE;
        }
        [$processes, $milliseconds, $lease] = array_map(static fn(string $option): float => self::number($input, $option), ['processes', 'compute', 'lease']);
        $places = new Places();
        /** @var list<string> $given */
        $given = $input->getArgument('address');
        $addresses = $given === [] ? self::all($places) : array_combine($given, array_map(static fn(string $address): \Closure => static fn(): string => $address, $given));
        $output->writeln([
            \sprintf('PHP %s, %s, %s', \PHP_VERSION, Machine::processor(), Machine::system()),
            \sprintf('%d processes ask for a missing value that takes %d ms to compute; the second time the one that computes is killed.', $processes, $milliseconds),
            '',
            \sprintf('%-26s %12s %14s %12s %20s', 'store', 'computations', 'last answer', 'when killed', 'last answer after it'),
        ]);
        foreach ($addresses as $name => $address) {
            $output->writeln(\sprintf('%-26s ', $name) . self::line($places, $address, (int) $processes, $milliseconds / 1000, $lease));
        }
        $places->close();

        return Command::SUCCESS;
    }

    /** @return array<string, \Closure(): string> addresses by the names of their stores; a server is started when it is asked for */
    private static function all(Places $places): array
    {
        $namespace = 'stampede' . bin2hex(random_bytes(4));
        $mySql = static fn(string $engine): \Closure => static fn(): string => \sprintf(
            'mysql://%s:%s@/%s?engine=%s&socket=%s',
            MariaDbServer::USER,
            $places->mariaDb()->password,
            MariaDbServer::DATABASE,
            $engine,
            $places->mariaDb()->socket,
        );

        return [
            'larder' => static fn(): string => 'larder:?namespace=' . $namespace,
            'apcu' => static fn(): string => 'apcu:',
            'yac' => static fn(): string => 'yac:',
            'shmop' => static fn(): string => 'shmop:?namespace=' . $places->shmopNamespace(),
            'sqlite' => static fn(): string => \sprintf('sqlite://%s/cache.sqlite', $places->disk('sqlite')),
            'file' => static fn(): string => 'file://' . $places->disk('files'),
            'php-file' => static fn(): string => 'php-file://' . $places->disk('php-files'),
            'memcached' => static fn(): string => 'memcached://' . $places->memcached()->socket,
            'memcache' => static fn(): string => 'memcache://' . $places->memcached()->socket,
            'redis' => static fn(): string => 'redis://' . $places->redis()->socket,
            'redis with client=predis' => static fn(): string => \sprintf('redis://%s?client=predis', $places->redis()->socket),
            'mysql' => $mySql('innodb'),
            'mysql with engine=memory' => $mySql('memory'),
        ];
    }

    /** @param \Closure(): string $address */
    private static function line(Places $places, \Closure $address, int $processes, float $seconds, float $lease): string
    {
        try {
            $php = new Php(['apc.enable_cli' => '1', 'yac.enable_cli' => '1'], self::extensions());
            $process = new Process($php->command([\dirname(__DIR__, 2) . '/bin/stampede.php', $address(), $places->disk('stampede'), (string) $processes, (string) $seconds, (string) $lease]), timeout: self::SECONDS);
        } catch (ServerFailed $failed) {
            return 'not measured: ' . $failed->getMessage();
        }
        $process->run();
        $answer = json_decode($process->getOutput(), true);
        if (!\is_array($answer)) {
            return 'failed: ' . trim($process->getErrorOutput() . $process->getOutput());
        }
        if (\is_string($answer['missing'] ?? null)) {
            return 'not measured: ' . $answer['missing'];
        }
        $columns = '';
        foreach (['cold' => [12, 11], 'killed' => [12, 17]] as $what => [$first, $second]) {
            $outcome = $answer[$what] ?? null;
            $computations = \is_array($outcome) ? $outcome['computations'] ?? null : null;
            $last = \is_array($outcome) ? $outcome['last'] ?? null : null;
            $columns .= \sprintf("%{$first}d %{$second}.0f ms ", \is_int($computations) ? $computations : -1, 1000 * (\is_float($last) ? $last : \NAN));
        }

        return rtrim($columns);
    }

    /** @return list<string> Yac, where it lies unpacked in a clone */
    private static function extensions(): array
    {
        $yac = \sprintf('%s/var/yac/%s/yac.so', \dirname(__DIR__, 3), Php::version());

        return \extension_loaded('yac') || !is_file($yac) ? [] : [$yac];
    }

    private static function number(InputInterface $input, string $option): float
    {
        $value = $input->getOption($option);
        if (!\is_numeric($value) || (float) $value <= 0.0) {
            throw new InvalidArgumentException(\sprintf('--%s takes a number greater than 0', $option));
        }

        return (float) $value;
    }
}
