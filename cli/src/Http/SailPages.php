<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\Measure\Unit;
use Larder\Cli\System\CpuAffinity;

/**
 * The pages of the study "sail" behind nginx and PHP-FPM: with all cores, and with all servers and the load generator
 * on one core, as on the study's server. They run under wrk, as in the study. Pages that need no server are also
 * interleaved, as they differ by less than runs of wrk do.
 */
final class SailPages extends PageSuite
{
    public const WRK = 'sail: nginx and PHP-FPM, %d at a time';
    public const INTERLEAVED = 'sail: interleaved requests, %d at a time';

    private const CONCURRENCY = [1, 50];

    /** Requests of the study; in one round, because ten rounds would take too long. */
    private const STUDY_REQUESTS = 10_000;
    private const REQUESTS = 1_000;

    /** Turns of each page of an interleaved block, by concurrency: one to two seconds. */
    private const TURNS = [1 => 1_000, 50 => 40];
    private const WITHOUT_SERVER = ['empty', 'literal', 'file', 'larder', 'apcu'];

    /** PHP-FPM's workers on small servers: twice the cores of the machine that this was written on. */
    private const WORKERS = 4;

    public static function tables(): array
    {
        return array_map(static fn(int $concurrency): string => \sprintf(self::WRK, $concurrency), self::CONCURRENCY);
    }

    public function blocks(\Closure $notMeasured): array
    {
        $blocks = [];
        foreach (\count(CpuAffinity::allowed()) > 1 ? [false, true] : [false] as $onOneCore) {
            try {
                $site = $this->site(fn(): Site => Site::behindNginx(
                    $this->locations->disk($onOneCore ? 'http-core' : 'http'),
                    Pages::values(),
                    self::WORKERS,
                    $onOneCore,
                ));
            } catch (Unavailable $unavailable) {
                foreach (self::tables() as $table) {
                    $notMeasured(
                        new Subject(
                            $table,
                            'nginx',
                            null,
                            null,
                            null,
                            'request',
                            Unit::RequestsPerSecond,
                            $onOneCore ? Site::ONE_CORE : [],
                        ),
                        $unavailable->getMessage(),
                    );
                }
                continue;
            }
            array_push($blocks, ...$this->of($site, $notMeasured));
        }

        return $blocks;
    }

    /**
     * @param \Closure(Subject, string): void $notMeasured
     * @return list<WrkBlock|InterleavedBlock>
     */
    private function of(Site $site, \Closure $notMeasured): array
    {
        $blocks = $interleaved = [];
        foreach (Pages::all($site->directory, $site->redis, $site->memcached) as $page) {
            if (!$this->only->has($page->store)) {
                continue;
            }
            $subjects = [];
            foreach (self::CONCURRENCY as $concurrency) {
                $subjects[$concurrency] = $page->subject(
                    \sprintf(self::WRK, $concurrency),
                    'request',
                    Unit::RequestsPerSecond,
                    $site->settings(),
                );
            }

            try {
                self::add($page, $site);
            } catch (Unavailable $unavailable) {
                foreach ($subjects as $subject) {
                    $notMeasured($subject, $unavailable->getMessage());
                }
                continue;
            }
            foreach ($subjects as $concurrency => $subject) {
                $first = $page->value === Pages::LONG ? self::REQUESTS : self::STUDY_REQUESTS;
                $blocks[] = $block = new WrkBlock($site, $page, $concurrency, $subject, $first, self::REQUESTS);
                $this->note(
                    $block,
                    \sprintf(
                        'wrk, %s requests in the first round%s',
                        number_format($first),
                        $first === self::REQUESTS
                            ? ' and each other'
                            : ', ' . number_format(self::REQUESTS) . ' in each other',
                    ),
                );
                if ($page->connection === 'tcp') {
                    $this->note($block, 'connects in each request, as in the study');
                }
            }
            if (\in_array($page->store, self::WITHOUT_SERVER, true)) {
                $interleaved[$page->value ?? Pages::SHORT][] = $page;
            }
        }
        foreach ($interleaved as $pages) { // the first page does the least work
            foreach (self::CONCURRENCY as $concurrency) {
                $blocks[] = new InterleavedBlock(
                    \sprintf(self::INTERLEAVED, $concurrency),
                    $site,
                    $pages,
                    $concurrency,
                    self::TURNS[$concurrency],
                );
            }
        }
        foreach ($blocks as $block) {
            $this->note($block, $site->description());
        }

        return $blocks;
    }
}
