<?php

declare(strict_types=1);

namespace Larder\Driver\Apcu;

use Larder\Contract\Store;
use Larder\Driver\AutoCandidate;
use Larder\Driver\Diagnoses;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;

/** apcu: the memory that the workers of one FPM master share; or the engine, if the module apcu that is loaded is Larder's. */
final class ApcuDriver implements AutoCandidate, Diagnoses
{
    /** Whether apcu_*() are the functions of ext-apcu over the engine, not those of APCu. */
    public static function isEngine(): bool
    {
        return \extension_loaded('apcu') && \array_key_exists('larder', (new \ReflectionExtension('apcu'))->getDependencies());
    }

    public function scheme(): Scheme
    {
        return new Scheme('apcu', ['namespace'], whyNoCodec: 'It keeps PHP\'s own values and makes no bytes of them');
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $dsn->refuseName();

        return new ApcuStore($dsn->namespace(), $opener->failures());
    }

    public function openAuto(Dsn $auto, Opener $opener): Store
    {
        return $this->open($auto, $opener);
    }

    public function isSplit(): bool
    {
        return \extension_loaded('apcu') && !self::isEngine() && \in_array(strtolower((string) ini_get('apc.enabled')), ['1', 'on', 'yes', 'true'], true);
    }

    public function variants(): array
    {
        return [
            new Variant(
                'apcu',
                ApcuStore::class,
                self::isEngine() ? Scope::Machine : Scope::FpmWorkers,
                extension: 'apcu',
                package: 'apcu',
                ini: ['apc.enable_cli' => '1', 'apc.shm_size' => '64M'],
            ),
        ];
    }

    public function problem(): string
    {
        return '';
    }

    public function advice(): string
    {
        return self::isEngine() ? \sprintf('The module apcu is Larder\'s: apcu_*() use the engine, segment %s.apcu', ini_get('larder.segment')) : '';
    }
}
