<?php

declare(strict_types=1);

namespace Larder;

use Larder\Codec\Failures;
use Larder\Contract\RemoteStore;
use Larder\Contract\Store;
use Larder\Decorator\Tier\TierStore;
use Larder\Driver\Scheme;
use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Psr\Log\LoggerInterface;

/** The search for the store of an address: what was looked for, in which order, and what came of each. */
final class Resolver
{
    /** @param non-empty-list<CandidateStore> $candidates */
    private function __construct(
        private readonly Store|StoreUnavailable $outcome,
        private readonly array $candidates,
        public readonly Failures $failures,
    ) {}

    /**
     * Opens the first store that works here; those after it are not looked at.
     *
     * @throws InvalidDsn
     */
    public static function at(Dsn $address, LoggerInterface $logger = new ErrorLog()): self
    {
        $outcome = null;
        $candidates = [];
        $missing = [];
        foreach ($address->scheme->attempts($address, $logger) as [$scheme, $open]) {
            if ($outcome !== null) {
                $candidates[] = new CandidateStore($scheme, false, 'it comes after one that works here');

                continue;
            }

            try {
                $outcome = $open();
                $candidates[] = $scheme === $address->scheme
                    ? new CandidateStore($scheme, true, 'the address names it')
                    : self::found($scheme, $logger);
            } catch (StoreUnavailable $none) {
                $missing[] = $none;
                $candidates[] = new CandidateStore($scheme, false, $none->what, $none->how);
            }
        }

        return new self($outcome ?? self::nothing($missing), $candidates, $address->failures);
    }

    /** @throws StoreUnavailable when there was none: what is missing for each, and how to get it */
    public function store(): Store
    {
        return $this->outcome instanceof Store ? $this->outcome : throw $this->outcome;
    }

    /**
     * What was found when the cache was opened. An engine that keeps nothing at the moment, a tier, and a server, which is
     * connected to for it, are told of as they are now.
     *
     * @return non-empty-list<CandidateStore> in the order looked for
     */
    public function candidates(): array
    {
        return array_map(fn(CandidateStore $candidate): CandidateStore => $candidate->isChosen ? $this->asItIsNow($candidate) : $candidate, $this->candidates);
    }

    private function asItIsNow(CandidateStore $candidate): CandidateStore
    {
        $why = $candidate->why;
        $how = $candidate->how;
        if ($this->outcome instanceof TierStore) {
            $why .= ': ' . $this->outcome->explanation();
        } elseif ($this->outcome instanceof RemoteStore) {
            try {
                $this->outcome->reach();
            } catch (StoreUnavailable $none) {
                $why .= ', but it cannot be used now: ' . $none->what;
                $how = $none->how;
            }
        } elseif ($candidate->scheme === Scheme::Larder && \is_string($reason = larder_info()['reason']) && $reason !== '') {
            $why .= ', but it keeps nothing now: ' . $reason;
        }

        return new CandidateStore($candidate->scheme, true, $why, $how, SharingScope::cache($candidate->scheme));
    }

    /** Tells it on the command line, where a script may clear what the web server does not use. */
    private static function found(Scheme $scheme, LoggerInterface $logger): CandidateStore
    {
        $differs = SharingScope::differs($scheme);
        if ($differs === '') {
            return new CandidateStore($scheme, true, 'the first that works here');
        }
        $how = 'So that both have one cache, name its store, such as larder: or file:///var/cache/app (docs/cli-sees-nothing.md)';
        if (SharingScope::isCommandLine()) {
            $logger->warning('auto: takes {store} here, but {other}. {how}', ['store' => $scheme->value, 'other' => $differs, 'how' => $how]);
        }

        return new CandidateStore($scheme, true, \sprintf('the first that works here, but %s', $differs), $how);
    }

    /** @param list<StoreUnavailable> $missing of at least one */
    private static function nothing(array $missing): StoreUnavailable
    {
        $all = array_map(static fn(StoreUnavailable $none): string => $none->getMessage(), $missing);

        return \count($missing) === 1 ? $missing[0] : StoreUnavailable::because('auto', 'nothing that it looks for works here', implode('. ', $all));
    }
}
