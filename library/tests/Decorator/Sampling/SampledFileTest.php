<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Sampling;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Internal\Decorator\Sampling\RecordingFile;
use Larder\Internal\Decorator\Sampling\SamplingStore;
use Larder\Testing\AllContracts;
use Larder\Testing\StoreTestCase;
use Larder\Tests\Servers;

/** A sampled store keeps every contract of the store behind it. */
final class SampledFileTest extends StoreTestCase
{
    use AllContracts;

    protected function open(string $namespace): Store
    {
        return new SamplingStore(
            Cache::open(\sprintf('file://%s?namespace=%s', Servers::directory('sampled'), $namespace))->store(),
            2,
            RecordingFile::in(Servers::directory('recording-of-contracts')),
        );
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }
}
