<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Scope;
use Larder\Drivers;
use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Decorator\Tier\Listener\Listener;
use Larder\Internal\Decorator\Tier\LocalCopies;
use Larder\Internal\Decorator\Tier\TierDriver;
use Larder\Internal\Driver\ExaminesServers;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Resolver;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Command\SignalableCommandInterface;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * `larder listen`: one process for each host, which receives the changes of other hosts from Redis or Valkey and drops
 * this host's copies at once. Runs until SIGTERM or SIGINT, then exits with 0. Exits with 1 if another process already
 * listens here, with 2 if nothing can be listened for with this DSN. docs/servers.md.
 */
#[AsCommand('listen', 'Drop local copies of what other hosts change in Redis or Valkey')]
final class ListenCommand extends Command implements SignalableCommandInterface
{
    private ?Listener $listener = null;

    protected function configure(): void
    {
        $this->addArgument(
            'dsn',
            InputArgument::REQUIRED,
            'The DSN as the program opens it: tier:(larder:)(redis://10.0.0.5)',
        );
    }

    /** @return list<int> */
    public function getSubscribedSignals(): array
    {
        return [\SIGTERM, \SIGINT];
    }

    public function handleSignal(int $signal, int|false $previousExitCode = 0): int|false
    {
        if ($this->listener === null) {
            return 128 + $signal;
        }
        $this->listener->stop();

        return false;
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        // Pointers to fetched values would be kept until this process ends.
        ini_set('larder.zero_copy', '0');
        $text = $input->getArgument('dsn');
        $local = null;
        $reason = null;
        $driver = null;
        $servers = null;
        $identity = '';

        try {
            $dsn = Drivers::parse(\is_string($text) ? $text : '');
            $reason = self::whyNot($dsn);
            $local = $reason === null ? self::local($dsn) : null;
            $driver = $local === null ? null : Drivers::get($dsn->tiers[1]->scheme);
            $identity = $local === null ? '' : TierDriver::identity($dsn->tiers[1], $dsn);
            $servers = $driver instanceof ExaminesServers ? $driver->written($dsn->tiers[1]) : null;
        } catch (InvalidDsn|NotSupported|StoreUnavailable $mistake) {
            $reason = $mistake->getMessage();
        }
        if ($local === null || $servers === null || !$driver instanceof ExaminesServers) {
            $output->writeln((string) $reason, OutputInterface::OUTPUT_RAW);

            return Command::INVALID;
        }
        $shared = $dsn->tiers[1];
        $copies = new LocalCopies($local, $identity, 0.0);
        $this->listener = new Listener(
            $copies,
            $servers,
            $driver->question(),
            NamespaceName::prefix($shared->namespace()),
            $dsn->poll(),
            $shared->connectTimeout() + $shared->readTimeout(),
            static function (string $line, bool $isDetail) use ($output): void {
                if (!$isDetail || $output->isVerbose()) {
                    $output->writeln(\sprintf('%s %s', date('H:i:s'), $line), OutputInterface::OUTPUT_RAW);
                }
            },
        );
        if ($this->listener->run()) {
            return Command::SUCCESS;
        }
        $other = $copies->listener() ?? 'it has just ended, try again';
        $output->writeln("Another process listens here for this cache already: $other", OutputInterface::OUTPUT_RAW);

        return Command::FAILURE;
    }

    /** Opens the local tier only: the servers of the shared tier may be down now. */
    private static function local(Dsn $dsn): Store&AtomicStore
    {
        return Capability::of(Resolver::at($dsn->tiers[0])->store(), AtomicStore::class);
    }

    /** @return string|null why this DSN cannot be listened for; null if it can */
    private static function whyNot(Dsn $dsn): ?string
    {
        if ($dsn->tiers === []) {
            return \sprintf(
                'This %s: DSN has no local tier to keep fresh. Give it as the program has it: '
                    . 'tier:(larder:)(redis://10.0.0.5)',
                $dsn->scheme,
            );
        }
        [$local, $shared] = [$dsn->tiers[0]->scheme, $dsn->tiers[1]->scheme];
        // Local tiers that the command line shares with the web server.
        $reachable = array_filter(
            Drivers::all(),
            static fn(Driver $driver): bool => ($driver->variants()[0] ?? null)?->scope === Scope::Machine,
        );
        if (!isset($reachable[$local])) {
            return \sprintf(
                '%s: is not shared by the command line and the web server, so this process cannot reach the copies. '
                    . 'The processes ask for changes themselves. Local tiers that can be listened for: %s',
                $local,
                implode(':, ', array_keys($reachable)) . ':',
            );
        }
        if (!Drivers::get($shared) instanceof ExaminesServers) {
            return \sprintf(
                '%s: does not tell of changes, only Redis and Valkey do. The processes ask for changes themselves',
                $shared,
            );
        }

        return $dsn->poll() === 0.0
            ? 'With poll=0 nobody asks what was changed, so there is nothing to do better'
            : null;
    }
}
