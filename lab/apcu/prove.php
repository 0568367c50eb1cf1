<?php

/*
 * Asks other projects' applications for lab/apcu/prove, and prints each answer as a line. lab/apcu/prove compares the
 * answers over both modules named apcu.
 *
 *     php lab/apcu/prove.php mediawiki ADDRESS            requests of a reader and an editor in a new wiki
 *     php lab/apcu/prove.php symfony ADDRESS              requests of a visitor in the shop
 *     php lab/apcu/prove.php composer PROJECT             its class loader
 *     php lab/apcu/prove.php laravel                      the apc store of Laravel
 *     php lab/apcu/prove.php wordpress                    its Site Health
 *     php lab/apcu/prove.php phpcacheadmin SOCKET VALUE   its pages, in the pool there
 *     php -S ADDRESS -t WIKI lab/apcu/prove.php           serves the wiki, and apcu_cache_info() at /cached
 */

declare(strict_types=1);

namespace Larder\Lab\ProveApcu;

use Composer\Autoload\ClassLoader;
use Illuminate\Cache\ApcStore;
use Illuminate\Cache\ApcWrapper;
use Illuminate\Cache\RateLimiter;
use Illuminate\Cache\Repository;

if (\PHP_SAPI === 'cli-server') {
    if (($_SERVER['REQUEST_URI'] ?? '') !== '/cached') {
        return false; // the built-in server serves the wiki's file
    }
    echo json_encode(apcu_cache_info(true));

    return true;
}

/** A visitor's browser on one site. */
final class Visitor
{
    private readonly \CurlHandle $curl;

    public function __construct(private readonly string $site)
    {
        $this->curl = curl_init();
        curl_setopt_array($this->curl, [\CURLOPT_RETURNTRANSFER => true, \CURLOPT_COOKIEFILE => '', \CURLOPT_FOLLOWLOCATION => true, \CURLOPT_TIMEOUT => 60]);
    }

    /** @param array<string, string> $form fields to post, if any */
    public function ask(string $path, array $form = []): string
    {
        curl_setopt($this->curl, \CURLOPT_URL, "http://$this->site$path");
        $form === [] ? curl_setopt($this->curl, \CURLOPT_HTTPGET, true) : curl_setopt($this->curl, \CURLOPT_POSTFIELDS, http_build_query($form));
        $answer = curl_exec($this->curl);

        return \is_string($answer) ? $answer : throw new \RuntimeException("http://$this->site$path: " . curl_error($this->curl));
    }

    /** The text of a page, without parts that differ between requests. */
    public function read(string $path): string
    {
        $page = $this->ask($path);
        $text = html_entity_decode(strip_tags((string) preg_replace('~<(script|style)\b.*?</\1>|<!--.*?-->~s', '', $page)));

        return curl_getinfo($this->curl, \CURLINFO_RESPONSE_CODE) . ' ' . self::normalized((string) preg_replace('/\s+/', ' ', $text));
    }

    /** The raw status and body. A post is JSON. */
    public function receive(string $path, ?string $posted = null): string
    {
        curl_setopt_array($this->curl, [\CURLOPT_URL => "http://$this->site$path", \CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'Accept: application/json']]);
        $posted === null ? curl_setopt($this->curl, \CURLOPT_HTTPGET, true) : curl_setopt($this->curl, \CURLOPT_POSTFIELDS, $posted);
        $answer = curl_exec($this->curl);

        return curl_getinfo($this->curl, \CURLINFO_RESPONSE_CODE) . ' ' . (\is_string($answer) ? $answer : throw new \RuntimeException("http://$this->site$path: " . curl_error($this->curl)));
    }

    /**
     * @param array<string, string> $query
     * @param array<string, string> $form
     */
    public function api(array $query, array $form = []): mixed
    {
        return json_decode($this->ask('/api.php?' . http_build_query($query + ['format' => 'json', 'formatversion' => '2']), $form), true, flags: \JSON_THROW_ON_ERROR);
    }

    /**
     * Posts a change in a second of its own, because MediaWiki compares the times of pages and of their cached parts in
     * whole seconds.
     *
     * @param array<string, string> $form
     */
    public function change(array $form): mixed
    {
        time_sleep_until(floor(microtime(true)) + 1);

        return $this->api([], $form + ['token' => $this->token('csrf'), 'format' => 'json', 'formatversion' => '2']);
    }

    public function token(string $type): string
    {
        $answer = $this->api(['action' => 'query', 'meta' => 'tokens', 'type' => $type]);
        $token = \is_array($answer) ? $answer['query']['tokens'][$type . 'token'] ?? null : null;

        return \is_string($token) ? $token : throw new \RuntimeException("the wiki gives no token $type: " . json_encode($answer));
    }

    /** Replaces parts that differ between runs, as the number of jobs: MediaWiki merges equal jobs of a second. */
    public static function normalized(string $text): string
    {
        return (string) preg_replace(['/[0-9a-f]{32,}/', '/"jobs":\d+/', '/\d{4}-\d\d-\d\dT[\d:]+Z/', '/\d\d:\d\d(:\d\d)?/', '/127\.0\.0\.1:\d+/'], ['ID', '"jobs":JOBS', 'TIME', 'TIME', 'SITE'], $text);
    }
}

/** @return iterable<string, mixed> */
function mediawiki(string $site): iterable
{
    $reader = new Visitor($site);
    yield 'main page' => $reader->read('/index.php?title=Main_Page');
    yield 'main page again' => $reader->read('/index.php?title=Main_Page');
    yield 'scripts' => \strlen($reader->ask('/load.php?modules=jquery%7Cmediawiki.base&only=scripts&lang=en&skin=vector')) > 10_000;
    yield 'styles' => crc32($reader->ask('/load.php?modules=skins.vector.styles.legacy%7Csite.styles&only=styles&lang=en&skin=vector'));
    yield 'another language' => $reader->read('/index.php?title=Special:Version&uselang=de');

    $editor = new Visitor($site);
    $login = ['action' => 'login', 'lgname' => 'Admin'];
    yield 'a wrong password' => $editor->api([], ['action' => 'login', 'lgname' => 'Admin', 'lgpassword' => 'wrong', 'lgtoken' => $editor->token('login'), 'format' => 'json']);
    yield 'login' => $editor->api([], $login + ['lgpassword' => 'a long passphrase', 'lgtoken' => $editor->token('login'), 'format' => 'json', 'formatversion' => '2']);
    yield 'who is it' => $editor->api(['action' => 'query', 'meta' => 'userinfo', 'uiprop' => 'rights|groups|options']);
    foreach (['Template:Box' => '[{{{1}}}]', 'Larder' => "== Shelf ==\n{{Box|jam}} '''jars''' [[Main Page]] [[Missing]]\n[[Category:Food]]", 'Empty' => '.'] as $title => $text) {
        yield "edit $title" => $editor->change(['action' => 'edit', 'title' => $title, 'text' => $text, 'summary' => 'new']);
    }
    yield 'page' => $reader->read('/index.php?title=Larder');
    yield 'change of the template' => $editor->change(['action' => 'edit', 'title' => 'Template:Box', 'text' => '({{{1}}})']);
    yield 'page with the changed template' => $reader->read('/index.php?title=Larder');
    yield 'purged' => $editor->change(['action' => 'purge', 'titles' => 'Larder']);
    yield 'page, purged' => $reader->read('/index.php?title=Larder');
    yield 'interface message' => $editor->change(['action' => 'edit', 'title' => 'MediaWiki:Sitenotice', 'text' => 'Notice of the site']);
    yield 'page with the notice' => $reader->read('/index.php?title=Larder');
    yield 'moved' => $editor->change(['action' => 'move', 'from' => 'Larder', 'to' => 'Pantry', 'reason' => 'name']);
    yield 'redirect' => $reader->read('/index.php?title=Larder');
    yield 'watchlist' => $editor->api(['action' => 'query', 'list' => 'watchlistraw']);
    yield 'history' => $reader->read('/index.php?title=Pantry&action=history');
    yield 'category' => $reader->read('/index.php?title=Category:Food');
    $changes = $editor->api(['action' => 'query', 'list' => 'recentchanges', 'rcprop' => 'title|user|comment|sizes|ids', 'rcdir' => 'newer'])['query']['recentchanges'];
    usort($changes, static fn(array $a, array $b): int => $a['rcid'] <=> $b['rcid']); // a second may have several
    yield 'recent changes' => $changes;
    yield 'search' => $reader->read('/index.php?search=jars&ns0=1&fulltext=1');
    yield 'deleted' => $editor->change(['action' => 'delete', 'title' => 'Empty']);
    yield 'deleted page' => $reader->read('/index.php?title=Empty');
    yield 'preferences' => $editor->read('/index.php?title=Special:Preferences');
    yield 'statistics' => $reader->api(['action' => 'query', 'meta' => 'siteinfo', 'siprop' => 'statistics|namespaces']);
    yield 'logout' => $editor->change(['action' => 'logout']);
    yield 'who is it then' => $editor->api(['action' => 'query', 'meta' => 'userinfo']);
    $cached = json_decode($reader->ask('/cached'), true, flags: \JSON_THROW_ON_ERROR);
    yield 'the cache is used' => [$cached['num_entries'] > 100, $cached['num_hits'] > 1000];
}

/**
 * Each page is requested three times, so that both processes answer from the cache too.
 *
 * @return iterable<string, mixed>
 */
function symfony(string $site): iterable
{
    $visitor = new Visitor($site);
    $review = ['author' => 'A reader', 'address' => 'reader@example.org', 'stars' => 4, 'text' => "J'ai lu <b>cela</b>"];
    foreach ([1, 2, 3] as $time) {
        foreach (['/', '/?page=2', '/?page=2&by=name', '/?page=100&by=price', '/?page=0', '/?by=colour', '/?page=x', '/article/1', '/article/7', '/article/none', '/nowhere'] as $path) {
            yield "$path, time $time" => $visitor->receive($path);
        }
    }
    yield 'a list cannot be posted' => $visitor->receive('/', '{}');
    foreach ([$review, ['stars' => 5] + $review, ['stars' => 6] + $review, ['address' => 'nowhere'] + $review, ['stars' => 'many'] + $review, ['author' => 'nobody'], [], ['text' => str_repeat('x', 1001)] + $review] as $number => $posted) {
        yield "review $number" => $visitor->receive('/article/7/review', json_encode($posted, \JSON_THROW_ON_ERROR));
    }
    yield 'no JSON' => $visitor->receive('/article/7/review', '{');
    foreach ([1, 2, 3] as $time) {
        yield "with reviews, time $time" => $visitor->receive('/article/7');
    }
    yield 'forgotten' => $visitor->receive('/article/7/forget', '');
    foreach ([1, 2, 3] as $time) {
        yield "without reviews, time $time" => $visitor->receive('/article/7');
        yield "list, time $time" => $visitor->receive('/?page=2&by=name');
    }
    $cached = json_decode(substr($visitor->receive('/cached'), 4), true, flags: \JSON_THROW_ON_ERROR);
    yield 'the cache is used' => [$cached['num_entries'] > 50, $cached['num_hits'] > 500];
}

/** @return iterable<string, mixed> */
function composer(string $project): iterable
{
    $loader = require "$project/vendor/autoload.php";
    \assert($loader instanceof ClassLoader);
    $prefix = (string) $loader->getApcuPrefix();
    yield 'prefix' => $prefix !== '';
    yield 'classes' => [class_exists('App\One'), class_exists('App\Part\Two'), class_exists('App\Missing'), class_exists('App\Missing')];
    yield 'what it has stored' => array_map(static fn(string $class): mixed => apcu_fetch($prefix . $class), ['App\One', 'App\Part\Two', 'App\Missing']);
    // the path of this class is only in the cache
    file_put_contents("$project/elsewhere.php", '<?php namespace App; final class Elsewhere {}');
    apcu_store($prefix . 'App\Elsewhere', "$project/elsewhere.php");
    yield 'found by what is stored' => [$loader->findFile('App\Elsewhere'), class_exists('App\Elsewhere')];
}

/** @return iterable<string, mixed> */
function laravel(): iterable
{
    require __DIR__ . '/../../var/laravel/vendor/autoload.php';
    $cache = new Repository(new ApcStore(new ApcWrapper(), 'laravel:'));
    yield 'put and get' => [$cache->put('k', ['value'], 60), $cache->get('k'), $cache->has('k'), $cache->missing('absent'), $cache->get('absent', 'default')];
    yield 'many' => [$cache->put(['1' => 'a', '2' => 'b'], 60), $cache->many(['1', '2', 'absent']), $cache->putMany(['3' => 'c', 'd' => 'd']), $cache->get('3')];
    yield 'PSR-16' => [$cache->setMultiple(['4' => 'd'], 60), $cache->getMultiple(['4', 'absent'], 'default'), $cache->deleteMultiple(['4', '3']), $cache->get('4')];
    yield 'pull' => [$cache->put(7, 'an integer', 60), $cache->get(7), $cache->pull(7), $cache->get(7)];
    yield 'add' => [$cache->add('new', 1, 60), $cache->add('new', 2, 60), $cache->get('new')];
    yield 'counters' => [$cache->increment('n'), $cache->increment('n', 5), $cache->decrement('n', 2), $cache->get('n')];
    yield 'remember' => [$cache->remember('r', 60, static fn(): string => 'made'), $cache->remember('r', 60, static fn(): string => 'again'), $cache->forever('ever', 'x'), $cache->get('ever')];
    yield 'values' => array_map(static function (mixed $value) use ($cache): mixed {
        $cache->put('v', $value, 60);

        return serialize($cache->get('v'));
    }, [null, false, 0, 1.5, '', [], [[1, [2]]], new \ArrayObject([1]), new \DateTimeImmutable('2026-01-01 UTC')]);
    $limiter = new RateLimiter($cache);
    yield 'rate limiter' => [$limiter->attempt('login', 2, static fn(): string => 'in'), $limiter->hit('login'), $limiter->tooManyAttempts('login', 2), $limiter->remaining('login', 5), $limiter->clear('login')];
    yield 'clear' => [$cache->forget('k'), $cache->forget('k'), $cache->clear(), $cache->get('ever')];
}

/** @return iterable<string, mixed> */
function wordpress(): iterable
{
    \define('ABSPATH', __DIR__ . '/../../var/wordpress/root/usr/share/wordpress/');
    require ABSPATH . 'wp-includes/plugin.php';
    require ABSPATH . 'wp-admin/includes/class-wp-site-health.php';
    // Without its constructor, which needs a database.
    $health = (new \ReflectionClass('WP_Site_Health'))->newInstanceWithoutConstructor();
    $offered = (new \ReflectionMethod($health, 'available_object_cache_services'))->invoke($health);
    yield 'offered caches' => $offered;
    yield 'APCu is one of them' => \in_array('APCu', $offered, true) ?: throw new \RuntimeException('Site Health does not find APCu');
}

/**
 * What it shows but amounts of memory and times. (APCu 5.1.22 counts times from the start of the machine.)
 *
 * @return iterable<string, mixed>
 */
function phpcacheadmin(string $socket, string $value): iterable
{
    require __DIR__ . '/../../vendor/autoload.php';
    $pool = \Larder\Cli\Server\PhpFpmConnection::open($socket);
    $ask = static function (string $script, string $query) use ($pool): string {
        $answer = $pool->request(\Larder\Cli\Server\PhpFpmServer::parameters((string) realpath($script), $query));
        $text = html_entity_decode(strip_tags((string) preg_replace('~<(script|style|svg)\b.*?</\1>~s', '', $answer->body)));
        $text = (string) preg_replace(['/[\d,. ]+[KMG]?B\b/', '/(Slots|slots":) ?\d+/', '/\s+/'], ['BYTES', 'SLOTS', ' '], $text);

        return "$answer->status $text";
    };
    yield 'stored' => $ask(__DIR__ . '/stored.php', "value=$value");
    $admin = __DIR__ . '/../../var/phpcacheadmin/index.php';
    $read = static function (string $page, string $figures) use ($ask, $admin): array {
        preg_match_all($figures, $ask($admin, "dashboard=apcu&$page"), $found);
        sort($found[0]);

        return $found[0];
    };
    yield 'keys' => $read('tab=keys', '/\b(?:shop|user):\d/');
    foreach (['formatted', 'raw', 'hex'] as $mode) {
        yield "a key, $mode" => $read("view=key&key=shop:1&value_mode=$mode", '/(?<=Size BYTES).*/');
    }
    yield 'panels' => $read('ajax&panels', '~"(?:keys|expunges)":"\d+"|"hits_misses":\["[^"]*"~');
    yield 'analysis' => $read('tab=analysis', '/(?:Keys analyzed|Namespaces|Keys without expiry|\bshop|\buser):? \d+/');
    yield 'health' => $read('tab=health', '~(?:usage|rate|Fragmentation|count) (?:Healthy|Warning|Critical)|\d+ hits / \d+ lookups~');
}

$arguments = \array_slice($argv, 2);
$answers = match ($argv[1]) {
    'composer' => composer($arguments[0]),
    'laravel' => laravel(),
    'wordpress' => wordpress(),
    'mediawiki' => mediawiki($arguments[0]),
    'symfony' => symfony($arguments[0]),
    'phpcacheadmin' => phpcacheadmin($arguments[0], $arguments[1]),
};
foreach ($answers as $question => $answer) {
    echo "$question: ", Visitor::normalized(json_encode($answer, \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE)), "\n";
}
