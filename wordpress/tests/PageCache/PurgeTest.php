<?php

declare(strict_types=1);

namespace Larder\WordPress\Tests\PageCache;

use Larder\Cli\System\TemporaryDirectory;
use Larder\WordPress\PageCache\Dependencies;
use Larder\WordPress\PageCache\PageCache;
use Larder\WordPress\PageCache\Purge;
use Larder\WordPress\Plugin\ConfigFile;
use Larder\WordPress\Plugin\Part;
use Larder\WordPress\Plugin\Setup;
use Larder\WordPress\Tests\Calls;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/../functions.php';

/** What purges pages. lab/page-cache shows that pages are new after a change. */
final class PurgeTest extends TestCase
{
    /** @var array<string, list<\Closure>> */
    private static array $hooks = [];

    public static function setUpBeforeClass(): void
    {
        foreach (['DB_HOST', 'DB_NAME'] as $name) {
            \defined($name) || \define($name, 'larder');
        }
        \defined('WP_CACHE') || \define('WP_CACHE', true);
        Calls::reset();
        Purge::register();
        self::$hooks = Calls::$hooks;
    }

    protected function setUp(): void
    {
        Calls::reset();
        Calls::$hooks = self::$hooks;
        $_SERVER['REQUEST_METHOD'] = 'POST';
        Purge::generation();
    }

    protected function tearDown(): void
    {
        Calls::fire('shutdown');
        unset($_SERVER['REQUEST_METHOD']);
        Calls::reset();
    }

    /** As a shell with an engine of its own: it has no page. */
    private static function leaveTheEngine(): void
    {
        larder_delete(PageCache::prefix() . 'generation');
    }

    /** @return array<int, string> by blog */
    private static function marks(): array
    {
        return array_map(static fn(array $options): string => (string) json_encode($options), Calls::$options);
    }

    /** True if a page that depends on the post is invalid after it. */
    private static function purges(string $tag, \Closure $change): bool
    {
        $keys = Purge::keys(['all', $tag]);
        $page = ['generation' => Purge::generation(), 'keys' => $keys, 'versions' => Purge::versions($keys)];
        self::assertTrue(PageCache::isValid($page));
        $change();

        return !PageCache::isValid($page);
    }

    #[TestWith(['post_views_count'])]
    #[TestWith(['views'])]
    #[TestWith(['_post_view'])]
    #[TestWith(['wpb_post_views_count'])]
    #[TestWith(['post_views_count_7_day_total'])]
    #[TestWith(['post-views'])]
    #[TestWith(['viewcount'])]
    #[TestWith(['hits'])]
    #[TestWith(['Total_Visits'])]
    public function testACounterOfVisitorsPurgesNothing(string $field): void
    {
        $count = static fn() => Calls::fire('updated_post_meta', 1, 7, $field);
        self::assertFalse(self::purges('1:post:7', $count));
        Calls::$isAdministrator = true;
        self::assertTrue(self::purges('1:post:7', $count));
    }

    #[TestWith(['price'])]
    #[TestWith(['_stock'])]
    #[TestWith(['_stock_status'])]
    #[TestWith(['reviews'])]
    #[TestWith(['_wc_review_count'])]
    #[TestWith(['architects'])]
    #[TestWith(['whitespace'])]
    #[TestWith(['overview'])]
    public function testAnotherFieldPurgesItsPost(string $field): void
    {
        $change = static fn() => Calls::fire('updated_post_meta', 1, 7, $field);
        self::assertTrue(self::purges('1:post:7', $change));
        self::assertFalse(self::purges('1:post:8', $change));
    }

    public function testAPageIsPurgedAlthoughTheEngineDroppedTheGeneration(): void
    {
        Calls::$blog = 4;
        self::assertTrue(self::purges('4:post:7', static function (): void {
            self::leaveTheEngine();
            Calls::fire('updated_post_meta', 1, 7, 'price');
        }));
    }

    public function testAnotherEngineIsMarkedAtOnceAndAtTheEnd(): void
    {
        $change = static fn() => Calls::fire('updated_post_meta', 1, 7, 'price');
        $change();
        self::assertSame([], self::marks());
        self::leaveTheEngine();
        $change();
        $first = self::marks();
        self::assertSame([1], array_keys($first));
        $change();
        self::assertSame($first, self::marks());
        Calls::fire('shutdown');
        $last = self::marks();
        self::assertNotSame($first, $last);
        Calls::fire('shutdown');
        self::assertSame($last, self::marks());
    }

    public function testEachBlogThatChangesIsMarked(): void
    {
        Calls::$isMultisite = true;
        self::leaveTheEngine();
        foreach ([2, 3] as Calls::$blog) {
            Calls::fire('updated_post_meta', 1, 7, 'price');
        }
        Calls::$blog = 1;
        $first = self::marks();
        self::assertSame([2, 3], array_keys($first));
        Calls::fire('shutdown');
        self::assertCount(4, array_unique([...$first, ...self::marks()]));
    }

    public function testAProfileIsThatOfAllBlogs(): void
    {
        Calls::$hooks = [];
        Dependencies::watch();
        Calls::$blog = 2;
        Calls::fire('wp');
        Calls::$blog = 3;
        Calls::fire('switch_blog', 3, 2);
        Calls::fire('pre_get_users');
        Calls::$blog = 1; // somebody has not switched back
        self::assertSame(['all', '2:site', '3:site', 'users', '3:posts:any'], Dependencies::tags());

        Calls::$hooks = self::$hooks;
        $change = static fn() => Calls::fire('profile_update', 7);
        self::assertTrue(self::purges('users', $change));
        self::assertTrue(self::purges('user:7', $change));
        self::assertFalse(self::purges('user:8', $change));
    }

    public function testAClosedBlogIsPurged(): void
    {
        Calls::$isMultisite = true;
        $old = new \WP_Site((object) []);
        $new = clone $old;
        $new->last_updated = '2026-01-01 00:00:00'; // by a new post
        $update = static fn() => Calls::fire('wp_update_site', $new, $old);
        self::assertFalse(self::purges('3:site', $update));
        $new->archived = '1';
        self::assertFalse(self::purges('2:site', $update));
        self::assertTrue(self::purges('3:site', $update));
        self::assertTrue(self::purges('3:site', static fn() => Calls::fire('wp_delete_site', $old)));
    }

    public function testADeletedBlogGetsNoMark(): void
    {
        Calls::$isMultisite = true;
        Calls::$deletedBlogs = [3];
        self::leaveTheEngine();
        Calls::fire('wp_delete_site', new \WP_Site((object) []));
        self::assertSame([], self::marks());
    }

    public function testAnOptionOfTheNetworkPurgesAllBlogs(): void
    {
        $change = static fn(string $name) => static fn() => Calls::fire('update_site_option', $name);
        self::assertTrue(self::purges('2:site', $change('site_name')));
        self::assertFalse(self::purges('2:site', $change('banner')));
        Calls::$isAdministrator = true;
        self::assertTrue(self::purges('2:site', $change('banner')));
        self::assertFalse(self::purges('2:site', $change('_site_transient_x')));
    }

    public function testWhoSwitchesThePageCacheOffPurgesIt(): void
    {
        $site = new TemporaryDirectory();
        touch("$site->path/advanced-cache.php");
        file_put_contents("$site->path/wp-config.php", '<?php');
        $setup = new Setup(__DIR__ . '/../..', $site->path, new ConfigFile("$site->path/wp-config.php"));
        self::assertFalse(self::purges('1:post:7', static fn() => $setup->disable(Part::PageCache)), 'it is foreign');
        copy(__DIR__ . '/../../advanced-cache.php', "$site->path/advanced-cache.php");
        self::assertFalse(self::purges('1:post:7', static fn() => $setup->disable(Part::ObjectCache)));
        self::assertTrue(self::purges('1:post:7', static fn() => $setup->disable(Part::PageCache)));
    }

    public function testAChangeOfThePluginsMarksAllBlogs(): void
    {
        self::leaveTheEngine();
        Calls::fire('activated_plugin');
        self::assertSame([1], array_keys(self::marks()));
        Calls::fire('shutdown');
        Calls::$isMultisite = true;
        Calls::fire('activated_plugin');
        self::assertSame([1, 2, 3], array_keys(self::marks()));
    }
}
