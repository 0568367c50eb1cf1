<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Browser;

use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\NginxServer;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\ProjectTests\Repository;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

/** Manages the WordPress plugin with Chromium: WordPress of lab/software/wordpress, MariaDB, nginx, PHP-FPM. */
final class WordPressTest extends TestCase
{
    private const PASSWORD = 'what nobody guesses';

    private TemporaryDirectory $folder;
    private MariaDbServer $database;
    private PhpFpmServer $fpm;
    private NginxServer $nginx;
    private Browser $admin;
    private string $site;
    private string $address;
    private string $memory;

    /** @return iterable<string, array{string}> */
    public static function versions(): iterable
    {
        foreach (['6.1', '6.8', '7.1'] as $version) {
            yield $version => [$version];
        }
    }

    protected function tearDown(): void
    {
        ($this->admin ?? null)?->close();
        ($this->nginx ?? null)?->stop();
        ($this->fpm ?? null)?->stop();
        ($this->database ?? null)?->stop();
        ($this->folder ?? null)?->remove();
    }

    #[DataProvider('versions')]
    public function testInstallsSwitchesAndRemovesThePlugin(string $version): void
    {
        $this->start($version);
        $config = (string) file_get_contents("$this->site/wp-config.php");
        $this->logIn();
        $this->installPlugin();
        self::assertSame('deactivate-larder', $this->admin->run('return document.querySelector("#deactivate-larder")?.id;'), $this->text());

        $this->openPage();
        $this->admin->follow('#larder-enable-object');
        self::assertFileEquals(Repository::ROOT . '/wordpress/object-cache.php', $this->content('object-cache.php'));
        $this->admin->follow('#larder-enable-page');
        self::assertSame($config, file_get_contents("$this->site/wp-config.php"), 'not without permission');
        self::assertStringContainsString("define('WP_CACHE', true);", $this->text());
        $this->admin->run('document.querySelector("input[name=config]").checked = true;');
        $this->admin->follow('#larder-enable-page');
        self::assertStringContainsString("<?php\ndefine('WP_CACHE', true);", (string) file_get_contents("$this->site/wp-config.php"));
        $this->openPage();
        self::assertSame(2, substr_count($this->text(), 'On.'), $this->text());

        $post = $this->publishAndComment();
        $this->emptyFromTheBar();

        $this->admin->visit("$this->address/wp-admin/site-health.php?tab=debug");
        self::assertStringContainsString('the engine of Larder', $this->text('document.body.textContent'));

        $this->switchOffAndOn($post, $config);
        $this->switchInTheShell($config);

        $this->admin->visit("$this->address/wp-admin/plugins.php");
        $this->admin->follow('#deactivate-larder');
        self::assertFileDoesNotExist($this->content('object-cache.php'));
        self::assertFileDoesNotExist($this->content('advanced-cache.php'));
        self::assertSame($config, file_get_contents("$this->site/wp-config.php"));
        self::assertStringContainsString('Fourth jar', $this->page('/')[1]);
    }

    public function testSwitchesItselfOffWithoutMemory(): void
    {
        $this->start('7.1', false);
        $this->logIn();
        $this->installPlugin();
        self::assertStringContainsString('Larder is switched off: There is no memory', $this->text());
        self::assertNull($this->admin->run('return document.querySelector("#deactivate-larder")?.id;'));
    }

    private function publishAndComment(): int
    {
        $post = $this->publish('First jar');
        self::assertStringContainsString('First jar', $this->page('/')[1]);
        self::assertStringContainsString('Larder; hit', $this->pageUntilStored('/')[0], 'the second visitor gets the stored page');
        self::assertStringContainsString('First jar', $this->page('/')[1]);

        $this->rename($post, 'Second jar');
        self::assertStringContainsString('Second jar', $this->page('/')[1]);
        self::assertStringNotContainsString('First jar', $this->page('/')[1]);

        self::assertStringContainsString('Larder; hit', $this->pageUntilStored("/?p=$post")[0]);
        $guest = new Browser();
        try {
            $guest->visit("$this->address/?p=$post");
            $guest->run('const form = document.querySelector("#commentform"); form.comment.value = "It keeps."; form.author.value = "Guest"; form.email.value = "guest@example.org";');
            $guest->follow('#commentform [type=submit]');
        } finally {
            $guest->close();
        }
        self::assertStringContainsString('It keeps.', $this->page("/?p=$post")[1], 'a visitor without cookies sees it');

        return $post;
    }

    private function emptyFromTheBar(): void
    {
        self::assertStringContainsString('Larder; hit', $this->pageUntilStored('/')[0]);
        $this->admin->visit("$this->address/wp-admin/");
        $this->admin->follow('#wp-admin-bar-larder a');
        self::assertStringNotContainsString('Larder; hit', $this->page('/')[0]);

        // The same address without its nonce, as on a foreign page.
        self::assertStringContainsString('Larder; hit', $this->pageUntilStored('/')[0]);
        $this->admin->visit("$this->address/wp-admin/admin-post.php?action=larder&do=empty");
        self::assertStringContainsString('Larder; hit', $this->page('/')[0], 'control: nothing was emptied');
    }

    private function switchOffAndOn(int $post, string $config): void
    {
        $this->openPage();
        $this->admin->follow('#larder-disable-page');
        $this->admin->follow('#larder-disable-object');
        self::assertSame($config, file_get_contents("$this->site/wp-config.php"));
        self::assertStringNotContainsString('Cache-Status', $this->page('/')[0]);
        $this->rename($post, 'Third jar');
        self::assertStringContainsString('Third jar', $this->page('/')[1]);

        $this->openPage();
        $this->admin->run('document.querySelector("input[name=config]").checked = true;');
        $this->admin->follow('#larder-enable-page');
        $this->admin->follow('#larder-enable-object');
        self::assertStringContainsString('Third jar', $this->page('/')[1], 'nothing of before');
        $this->rename($post, 'Fourth jar');
        self::assertStringContainsString('Fourth jar', $this->page('/')[1]);
    }

    private function switchInTheShell(string $config): void
    {
        self::assertMatchesRegularExpression('~: the engine of Larder\n.*: On\.\n.*: On\.\n$~', $this->shell('status'));
        self::assertStringContainsString('Larder; hit', $this->pageUntilStored('/')[0]);
        $this->shell('flush');
        self::assertStringNotContainsString('Larder; hit', $this->page('/')[0]);
        $this->shell('disable');
        self::assertSame($config, file_get_contents("$this->site/wp-config.php"));
        self::assertStringContainsString("define('WP_CACHE', true);", $this->shell('enable'));
        $this->shell('enable', 'page', '--wp-config');
        self::assertMatchesRegularExpression('~: On\.\n.*: On\.\n$~', $this->shell('status'));
    }

    private function start(string $version, bool $hasMemory = true): void
    {
        $from = Repository::ROOT . "/var/wordpress-$version/root/usr/share/wordpress";
        if (!is_dir($from)) {
            self::markTestSkipped("lab/software/wordpress $version unpacks it");
        }
        $this->folder = new TemporaryDirectory('/dev/shm');
        (new Process(['cp', '-a', $from, $this->site = $this->folder->path . '/site']))->mustRun();
        $this->database = MariaDbServer::start($this->folder->add('database'));
        $this->fpm = PhpFpmServer::start(
            $this->folder->add('fpm'),
            ['larder.path' => $this->memory = $this->folder->add('memory'), 'memory_limit' => '256M', 'apc.enabled' => (int) $hasMemory],
            $hasMemory ? [Repository::ROOT . '/extension/modules/larder.so'] : [],
            [new PhpFpmPool(workers: 4)],
        );
        $http = 'include /etc/nginx/mime.types; index index.php; client_max_body_size 16m;';
        $this->nginx = NginxServer::start($this->folder->add('nginx'), $this->site, $this->fpm->socket, $http);
        $this->address = "http://127.0.0.1:{$this->nginx->port}";
        (new Filesystem())->dumpFile("$this->site/wp-config.php", $this->configuration());
        $install = 'define("WP_INSTALLING", true); $_SERVER["HTTP_HOST"] = "localhost"; function wp_new_blog_notification() {}'
            . ' require "wp-load.php"; require "wp-admin/includes/upgrade.php";'
            . ' wp_install("Shelf", "admin", "admin@example.org", true, "", $argv[1]);'
            . ' update_option("comment_previously_approved", 0); update_option("comment_whitelist", 0);';
        (new Process([\PHP_BINARY, '-r', $install, self::PASSWORD], $this->site, timeout: 300))->mustRun();
        $this->admin = new Browser();
    }

    private function configuration(): string
    {
        $constants = [
            'DB_NAME' => MariaDbServer::DATABASE, 'DB_USER' => MariaDbServer::USER, 'DB_PASSWORD' => $this->database->password,
            'DB_HOST' => "localhost:{$this->database->socket}", 'WP_HOME' => $this->address, 'WP_SITEURL' => $this->address,
            'FS_METHOD' => 'direct', 'WP_HTTP_BLOCK_EXTERNAL' => true, 'DISABLE_WP_CRON' => true, 'WP_DEBUG' => true,
        ];
        $code = "<?php\n";
        foreach ($constants as $name => $value) {
            $code .= \sprintf("define('%s', %s);\n", $name, var_export($value, true));
        }

        return "$code\$table_prefix = 'wp_';\ndefined('ABSPATH') || define('ABSPATH', __DIR__ . '/');\n"
            . "require_once ABSPATH . 'wp-settings.php';\n";
    }

    private function logIn(): void
    {
        $this->admin->visit("$this->address/wp-login.php");
        $this->admin->run(\sprintf(
            'document.querySelector("#user_login").value = "admin"; document.querySelector("#user_pass").value = %s;',
            json_encode(self::PASSWORD),
        ));
        $this->admin->follow('#wp-submit');
        $this->admin->waitFor('document.querySelector("#wpadminbar") !== null');
    }

    private function installPlugin(): void
    {
        (new Process([Repository::ROOT . '/wordpress/build', $zip = $this->folder->path . '/larder.zip']))->mustRun();
        $this->admin->visit("$this->address/wp-admin/plugin-install.php?tab=upload");
        $this->admin->choose('input[name=pluginzip]', $zip);
        $this->admin->waitFor('!document.querySelector("#install-plugin-submit").disabled');
        $this->admin->follow('#install-plugin-submit');
        $this->admin->waitFor('document.querySelector("a[href*=\\"action=activate\\"]") !== null');
        $this->admin->follow('a[href*="action=activate"]');
    }

    private function openPage(): void
    {
        $this->admin->visit("$this->address/wp-admin/tools.php?page=larder");
    }

    /** Writes a post in the block editor. */
    private function publish(string $title): int
    {
        $this->admin->visit("$this->address/wp-admin/post-new.php");
        $this->admin->waitFor('window.wp?.data?.select("core/editor")?.getCurrentPostId() > 0');
        $this->admin->run(\sprintf(
            'const editor = wp.data.dispatch("core/editor");'
            . 'editor.editPost({title: %s, content: "<p>Jam.</p>", status: "publish"}); editor.savePost();',
            json_encode($title),
        ));
        $this->admin->waitFor('(e => !e.isSavingPost() && e.getCurrentPost().status === "publish")(wp.data.select("core/editor"))');
        $id = $this->admin->run('return wp.data.select("core/editor").getCurrentPostId();');
        self::assertIsInt($id);

        return $id;
    }

    /** By Quick Edit in the list of posts. */
    private function rename(int $post, string $title): void
    {
        $this->admin->visit("$this->address/wp-admin/edit.php");
        $this->admin->waitFor('window.inlineEditPost !== undefined');
        $this->admin->run("inlineEditPost.edit($post);");
        $this->admin->waitFor("document.querySelector('#edit-$post input[name=post_title]') !== null");
        $this->admin->run(\sprintf(
            'const row = document.querySelector("#edit-%d"); row.querySelector("input[name=post_title]").value = %s; row.querySelector(".save").click();',
            $post,
            json_encode($title),
        ));
        $this->admin->waitFor(\sprintf('document.querySelector("#post-%d .row-title")?.textContent === %s', $post, json_encode($title)));
    }

    private function shell(string ...$arguments): string
    {
        $wp = Repository::ROOT . '/var/wp-cli/vendor/wp-cli/wp-cli/php/boot-fs.php';
        $settings = ['-d', 'extension=' . Repository::ROOT . '/extension/modules/larder.so', '-d', "larder.path=$this->memory", '-d', 'error_reporting=8191'];

        return (new Process([\PHP_BINARY, ...$settings, $wp, '--allow-root', "--path=$this->site", 'larder', ...$arguments]))->mustRun()->getOutput();
    }

    /** @return array{string, string} the headers and the body, for a visitor without cookies */
    private function page(string $path): array
    {
        $body = (string) file_get_contents($this->address . $path, false, stream_context_create(['http' => ['ignore_errors' => true, 'timeout' => 60]]));

        return [implode("\n", $http_response_header), $body];
    }

    /**
     * Again and again for some time: if something changes while a page is rendered, that page is not stored.
     *
     * @return array{string, string}
     */
    private function pageUntilStored(string $path): array
    {
        for ($tries = 0; $tries < 90 && !str_contains($this->page($path)[0], 'Larder; hit'); ++$tries) {
            sleep(1);
        }

        return $this->page($path);
    }

    private function text(string $expression = 'document.body.innerText'): string
    {
        $text = $this->admin->run("return $expression;");

        return \is_string($text) ? $text : '';
    }

    private function content(string $file): string
    {
        return "$this->site/wp-content/$file";
    }
}
