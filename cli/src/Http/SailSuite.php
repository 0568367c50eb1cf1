<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\CpuAffinity;
use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Server\ServerFailed;

/**
 * The pages of the study "sail" behind nginx and PHP-FPM: with all cores, and with all servers and the load generator on one
 * core, as the study's server had. Under wrk, as there; and those that need no server interleaved, as runs of wrk differ by
 * more than these pages do.
 */
final class SailSuite implements Suite
{
    private const WRK = 'sail: nginx and PHP-FPM, %d at a time';
    private const INTERLEAVED = 'sail: interleaved requests, %d at a time';
    private const CONCURRENCY = [1, 50];

    /** Turns of each page of an interleaved block, by concurrency: two seconds or so. */
    private const TURNS = [1 => 1_500, 50 => 25];
    private const WITHOUT_SERVER = ['empty', 'literal', 'file', 'larder', 'apcu'];

    public function __construct(private readonly StoreLocations $locations) {}

    public function blocks(\Closure $notMeasured): array
    {
        $cores = CpuAffinity::allowed();
        $blocks = [];
        foreach (array_unique([null, \count($cores) > 1 ? end($cores) : null]) as $core) {
            try {
                $site = Site::start($this->locations->disk('http-' . ($core ?? 'all')), Pages::values(), $core);
            } catch (ServerFailed|HttpFailed $failed) {
                $settings = Site::settingsOn($core);
                foreach (self::CONCURRENCY as $concurrency) {
                    $notMeasured(new Subject(\sprintf(self::WRK, $concurrency), 'nginx', null, null, null, 'request', Unit::RequestsPerSecond, $settings), $failed->getMessage());
                }
                continue;
            }
            $this->locations->endWith($site->stop(...));
            array_push($blocks, ...self::of($site, $notMeasured));
        }

        return $blocks;
    }

    /**
     * @param \Closure(Subject, string): void $notMeasured
     * @return list<Block>
     */
    private static function of(Site $site, \Closure $notMeasured): array
    {
        $blocks = $interleaved = [];
        foreach (Pages::all($site->directory, $site->redis, $site->memcached) as $page) {
            $subjects = [];
            foreach (self::CONCURRENCY as $concurrency) {
                $subjects[$concurrency] = new Subject(\sprintf(self::WRK, $concurrency), $page->store, $page->connection, $page->value, $page->bytes(), 'request', Unit::RequestsPerSecond, [...$page->settings, ...$site->settings()]);
            }

            try {
                $site->add($page);
            } catch (ServerFailed|HttpFailed $failed) {
                foreach ($subjects as $subject) {
                    $notMeasured($subject, $failed->getMessage());
                }
                continue;
            }
            foreach ($subjects as $concurrency => $subject) {
                $blocks[] = new WrkBlock($site, $page, $concurrency, $subject);
            }
            if (\in_array($page->store, self::WITHOUT_SERVER, true)) {
                $interleaved[$page->value ?? Pages::SHORT][] = $page;
            }
        }
        foreach ($interleaved as $pages) { // the first of them does the least
            foreach (self::CONCURRENCY as $concurrency) {
                $blocks[] = new InterleavedBlock(\sprintf(self::INTERLEAVED, $concurrency), $site, $pages, $pages[0], $concurrency, self::TURNS[$concurrency]);
            }
        }

        return $blocks;
    }
}
