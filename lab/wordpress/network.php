<?php

/*
 * Proves that the sites of a network have nothing of each other, and what its administrators see and do.
 *
 *     php network.php [version…]    6.1, 6.8, 7.1
 */

declare(strict_types=1);

use Larder\Cli\System\TemporaryDirectory;
use Larder\Lab\WordPress\Site;
use Symfony\Component\Filesystem\Filesystem;

const ROOT = __DIR__ . '/../..';
const SITES = ['/', '/two/', '/three/'];
const NETWORK = '/wp-admin/network/settings.php?page=larder';

require ROOT . '/vendor/autoload.php';
require __DIR__ . '/Site.php';

$passed = $failed = 0;
$check = static function (bool $isRight, string $what) use (&$passed, &$failed): void {
    $isRight ? ++$passed : ++$failed;
    $isRight || print "FAILED  $what\n";
};

/** @return array{Site, array<string, array<string, string>>} a network of three, and cookies of its administrators */
function network(string $version, string $plugin = ROOT . '/wordpress'): array
{
    $site = Site::create($version, $plugin, constants: [
        'WP_CACHE' => true, 'AUTH_KEY' => 'a', 'SECURE_AUTH_KEY' => 'b', 'LOGGED_IN_KEY' => 'c', 'NONCE_KEY' => 'd',
        'AUTH_SALT' => 'e', 'SECURE_AUTH_SALT' => 'f', 'LOGGED_IN_SALT' => 'g', 'NONCE_SALT' => 'h',
    ]);
    copy("$plugin/advanced-cache.php", "$site->folder/wp-content/advanced-cache.php");
    $site->php(__DIR__ . '/install.php', ['0'])->mustRun();
    $site->php(__DIR__ . '/install-network.php', ['network'])->mustRun();
    $site->define([
        'MULTISITE' => true, 'SUBDOMAIN_INSTALL' => false, 'DOMAIN_CURRENT_SITE' => 'localhost',
        'PATH_CURRENT_SITE' => '/', 'SITE_ID_CURRENT_SITE' => 1, 'BLOG_ID_CURRENT_SITE' => 1,
    ]);
    $cookies = json_decode($site->php(__DIR__ . '/install-network.php', ['sites'])->mustRun()->getOutput(), true);

    $site->visit(); // a web request takes the cache

    return [$site, $cookies];
}

/** @return array{int, list<string>} reads, and what was wrong, of three processes at once */
function mix(Site $site, int $seconds): array
{
    $processes = array_map(fn() => $site->php(__DIR__ . '/sites.php', [(string) $seconds]), range(1, 3));
    array_map(fn($process) => $process->start(), $processes);
    $reads = 0;
    $wrong = [];
    foreach ($processes as $process) {
        $process->wait();
        $said = json_decode($process->getOutput(), true)
            ?? throw new RuntimeException($process->getOutput() . $process->getErrorOutput());
        $reads += $said['reads'];
        $wrong = [...$wrong, ...$said['wrong']];
    }

    return [$reads, $wrong];
}

function ask(Site $site, string $path, string ...$arguments): string
{
    return $site->php(__DIR__ . '/site.php', [$path, ...$arguments])->mustRun()->getOutput();
}

/** Where the button of a page leads that empties the caches. */
function link_of(Site $site, string $page, array $cookies): string
{
    $html = $site->request($page, $cookies)->body;
    preg_match('~id="larder-empty" href="http://localhost([^"]+)~', $html, $link);

    return html_entity_decode($link[1] ?? throw new RuntimeException("$page has no button: $html"));
}

foreach (array_slice($argv, 1) ?: ['6.1', '6.8', '7.1'] as $version) {
    echo "-- a network of three sites, WordPress $version\n";
    [$site, $cookies] = network($version);
    try {
        [$reads, $wrong] = mix($site, 10);
        printf("   %d reads in three processes that switch between the sites, %d wrong\n", $reads, count($wrong));
        $check($reads > 1000 && $wrong === [], 'a site has what belongs to another one: ' . ($wrong[0] ?? ''));

        $isHit = static fn(string $path): bool
            => str_contains($site->request($path)->headers['cache-status'] ?? '', 'hit');
        // The first visit makes rules for rewriting, for example, so its page is not stored.
        $isStored = static fn(string $path): bool => $isHit($path) || $isHit($path) || $isHit($path);
        foreach (SITES as $number => $path) {
            $check($isStored($path), "$path is not stored");
            preg_match_all('~of site (\d)~', $site->visit($path), $found);
            $check(array_values(array_unique($found[1])) === [(string) ($number + 1)], "$path shows another site");
        }
        ask($site, '/two/', 'rename', 'Jar 99 of site 2');
        $check($isHit('/') && $isHit('/three/'), 'a change in /two/ removed pages of others');
        $check(str_contains($site->visit('/two/'), 'Jar 99 of site 2'), 'a page of /two/ is old after a change there');

        foreach (['profile', 'option'] as $what) {
            foreach (SITES as $path) {
                $check($isStored($path), "$path is not stored");
            }
            ask($site, '/two/', $what);
            foreach (SITES as $path) {
                $check(!$isHit($path), "$path is old after a change of the network: $what");
            }
        }

        echo "-- who empties what\n";
        $screen = 'wp-admin/tools.php?page=larder';
        $empty = static function (string $page) use ($site, $cookies): int {
            return $site->request(link_of($site, $page, $cookies['all']), $cookies['all'])->status;
        };
        foreach ([
            'WP-CLI in /two/' => ['/two/', fn() => ask($site, '/two/', 'flush')],
            'WP-CLI for all' => ['', fn() => ask($site, '/', 'flush-all')],
            'a screen of /two/' => ['/two/', fn() => $check($empty("/two/$screen") === 302, 'the link of /two/')],
            'a screen of the network' => ['', fn() => $check($empty(NETWORK) === 302, 'the link of the network')],
        ] as $who => [$emptied, $do]) {
            foreach (SITES as $path) {
                ask($site, $path, 'title'); // is in the cache
                ask($site, $path, 'row', "Jar $who"); // nobody is told
                $check(!str_contains(ask($site, $path, 'title'), $who), "control: $path is not read from the cache");
                $check($isStored($path), "control: $path is no page of the cache");
            }
            $do();
            foreach (SITES as $path) {
                $isEmptied = $emptied === '' || $emptied === $path;
                $check($isHit($path) !== $isEmptied, "$who: pages of $path");
                $check(str_contains(ask($site, $path, 'title'), $who) === $isEmptied, "$who: objects of $path");
            }
        }

        $check($isStored('/two/') && $isStored('/'), 'control: pages before one site is closed');
        ask($site, '/', 'archive', '2', '1');
        $check($site->request('/two/')->status === 410, 'the archived /two/ is open');
        $check($isHit('/'), 'the archived /two/ removed pages of others');
        ask($site, '/', 'archive', '2', '0');

        echo "-- what the administrator of one site may do\n";
        $link = link_of($site, NETWORK, $cookies['all']);
        $check($site->request("/two/$screen", $cookies['all'])->status === 200, 'control: the page');
        $check($site->request('/two/wp-admin/tools.php', $cookies['two'])->status === 200, 'control: the tools');
        foreach (["/two/$screen", NETWORK, "/two$link"] as $page) {
            $check($site->request($page, $cookies['two'])->status === 403, "$page is for all administrators");
        }
    } finally {
        $site->stop();
    }
}
echo "-- control: names without the number of the site\n";
$copy = new TemporaryDirectory('/dev/shm');
(new Filesystem())->mirror(ROOT . '/wordpress', $copy->path);
$file = "$copy->path/src/ObjectCache/ObjectCache.php";
$code = (string) file_get_contents($file);
$line = '$hasSite = $this->multisite && !isset($this->global_groups[$group]);';
str_contains($code, $line) || throw new LogicException("ObjectCache.php has no '$line'");
file_put_contents($file, str_replace($line, '$hasSite = false;', $code));
[$site] = network('6.1', $copy->path);
try {
    [, $wrong] = mix($site, 5);
    $check($wrong !== [], 'control: nothing is mixed');
} finally {
    $site->stop();
}
echo "$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
