<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;

/**
 * Writes and reads of a short value, of a string of 20 KB and of an array of 50 x 50: by connection, compression and
 * serializer, by one process and by ten at once.
 */
final class Study2016 extends Study
{
    private const PROCESSES = 10;
    private const RATES = ['100 Mbit/s' => '100mbit', '1 Gbit/s' => '1gbit'];

    private const STRINGS = ['short value', '20 KB string'];
    private const ARRAY = '50 x 50 array';

    /** Store, connection, and true if the study measured it with compression too. */
    private const STORES = [
        ['larder', null, false],
        ['apcu', null, false],
        ['memcached', 'socket', true],
        ['memcached', 'tcp', true],
        ['redis', 'socket', false],
        ['redis', 'tcp', false],
        ['predis', 'socket', false],
        ['predis', 'tcp', false],
    ];
    private const IN_NETWORK = [['memcached', true], ['redis', false]];

    /**
     * Most PHPs lack zstd and lz4, so zlib is used. The study's client had FastLZ, which the library does not support.
     */
    private const COMPRESS = ['' => [], 'zlib' => ['compress' => 'zlib']];

    /** Serializers of stores whose DSN cannot choose one. */
    private const SERIALIZERS = ['larder' => [''], 'apcu' => ['php', 'igbinary']];

    /** Maximum of one process. */
    private const OPERATIONS = 5_000;
    private const NANOSECONDS = 40_000_000;

    /** Network delay of the second host, for a note; empty if there is no second host. */
    private string $delay = '';

    public static function tables(): array
    {
        $tables = [];
        foreach ([...self::STRINGS, self::ARRAY] as $value) {
            array_push($tables, self::table($value, Operation::Set), self::table($value, Operation::Get));
        }

        return $tables;
    }

    public function notes(Subject $subject): array
    {
        $notes = parent::notes($subject);
        if (isset($subject->settings['compression'])) {
            $notes[] = 'the study\'s client compressed by FastLZ';
        }
        if (isset($subject->settings['rate'])) {
            $notes[] = 'a second host in a network namespace; ' . $this->delay;
        }

        return $notes;
    }

    public static function table(string $value, Operation $operation): string
    {
        return \sprintf('2016: %s, %s', $operation === Operation::Set ? 'write' : 'read', $value);
    }

    protected function add(Blocks $blocks): void
    {
        foreach (self::STORES as [$store, $connection, $compresses]) {
            foreach ($compresses ? self::COMPRESS : ['' => []] as $compression => $options) {
                $this->addStrings($blocks, $store, $connection, $compression, $options);
                $this->addArrays($blocks, $store, $connection, $compression, $options);
            }
        }
        $this->addNetwork($blocks);
    }

    /** @param array<string, string> $options */
    private function addStrings(
        Blocks $blocks,
        string $store,
        ?string $connection,
        string $compression,
        array $options,
    ): void {
        $target = fn(): Target => $this->targets->find($store, $connection, $options);
        $settings = $compression === '' ? [] : ['compression' => $compression];
        $blocks->add(self::figures(self::STRINGS, $store, $connection, $settings), $target, self::NANOSECONDS);
        $figures = self::figures(self::STRINGS, $store, $connection, [
            ...$settings,
            'processes' => self::PROCESSES . ' processes',
        ]);
        if ($store === 'apcu') {
            $blocks->leaveOut(
                $figures,
                'on the command line each process has an APCu of its own; the workers of PHP-FPM share one',
            );
        } else {
            $unpinned = new Targets($this->locations, false);
            $blocks->add(
                $figures,
                static fn(): Target => $unpinned->find($store, $connection, $options),
                self::NANOSECONDS,
                self::PROCESSES,
                isPinned: false,
            );
        }
    }

    /** @param array<string, string> $options */
    private function addArrays(
        Blocks $blocks,
        string $store,
        ?string $connection,
        string $compression,
        array $options,
    ): void {
        foreach (self::SERIALIZERS[$store] ?? ['php', 'igbinary', 'msgpack'] as $serializer) {
            $settings = array_filter(
                ['serializer' => $serializer, 'compression' => $compression],
                static fn(string $setting): bool => $setting !== '',
            );
            $blocks->add(
                self::figures([self::ARRAY], $store, $connection, $settings),
                fn(): Target => match (true) {
                    $store === 'larder' => $this->targets->find($store, $connection),
                    $store === 'apcu'
                        => $this->targets->find($store, $connection, ini: ['apc.serializer' => $serializer]),
                    $serializer !== 'php' && !\extension_loaded($serializer) => throw new Unavailable(\sprintf(
                        'the PHP extension %1$s is not loaded. To add it: dev/setup studies (in a clone of Larder), '
                            . 'or pecl install %1$s',
                        $serializer,
                    )),
                    default => $this->targets->find($store, $connection, [...$options, 'serializer' => $serializer]),
                },
                self::NANOSECONDS,
            );
        }
    }

    private function addNetwork(Blocks $blocks): void
    {
        $stores = array_filter(self::IN_NETWORK, fn(array $row): bool => $this->only->has($row[0]));
        if ($stores === []) {
            return;
        }
        $host = null;
        $unavailable = '';
        $servers = [];

        try {
            $host = NetworkHost::start();
            $this->locations->endWith($host->close(...));
            $servers = $host->startServers($this->locations->disk('network'));
            $this->delay = $host->delay();
        } catch (\RuntimeException $failed) {
            $unavailable = $failed->getMessage();
        }
        foreach (self::RATES as $label => $rate) {
            foreach ($stores as [$store, $compresses]) {
                foreach ($compresses ? self::COMPRESS : ['' => []] as $compression => $options) {
                    $figures = self::figures(self::STRINGS, $store, 'network', [
                        ...($compression === '' ? [] : ['compression' => $compression]),
                        'rate' => $label,
                    ]);
                    if ($host === null || $unavailable !== '') {
                        $blocks->leaveOut($figures, $unavailable);
                        continue;
                    }
                    $blocks->add(
                        $figures,
                        fn(): Target => $this->targets->at($store, $servers[$store] ?? '', 'network', $options),
                        self::NANOSECONDS,
                        isPinned: false,
                        before: static fn() => $host->limit($rate),
                    );
                }
            }
        }
    }

    /**
     * @param list<string> $values
     * @param array<string, string> $settings
     * @return list<array{Subject, Cell}>
     */
    private static function figures(array $values, string $store, ?string $connection, array $settings): array
    {
        $figures = [];
        foreach ($values as $value) {
            foreach ([Operation::Set, Operation::Get] as $operation) {
                $figures[] = [
                    new Subject(
                        self::table($value, $operation),
                        $store,
                        $connection,
                        $value,
                        Values::all()[$value]->bytes,
                        $operation->value,
                        settings: $settings,
                    ),
                    new Cell($operation, $value, self::OPERATIONS),
                ];
            }
        }

        return $figures;
    }
}
