<?php

declare(strict_types=1);

namespace Larder\WordPress\Tests;

use Larder\WordPress\Plugin\AtomicFile;
use Larder\WordPress\Plugin\ConfigFile;
use Larder\WordPress\Plugin\DropIn;
use Larder\WordPress\Plugin\DropInState;
use Larder\WordPress\Plugin\Problem;
use Larder\WordPress\Plugin\Refused;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;

/** Files of a site, in a temporary folder. */
final class FilesTest extends TestCase
{
    private const NEW = "<?php\n\n/* A cache of Larder. The plugin copies this file to wp-content, where it runs. */\n";
    private const OLD = self::NEW . "// of an older version\n";
    private const CONFIG = "<?php\ndefine('DB_NAME', 'site');\n";

    private string $folder;
    private DropIn $dropIn;

    protected function setUp(): void
    {
        $files = new Filesystem();
        $files->remove($this->folder = $files->tempnam(sys_get_temp_dir(), 'larder-site-'));
        $files->mkdir($this->folder, 0o755);
        file_put_contents("$this->folder/template.php", self::NEW);
        $this->dropIn = new DropIn("$this->folder/template.php", "$this->folder/object-cache.php");
    }

    protected function tearDown(): void
    {
        (new Filesystem())->remove($this->folder);
    }

    public function testPlacesUpdatesAndRemovesItsOwn(): void
    {
        self::assertSame(DropInState::Absent, $this->dropIn->state());
        $this->dropIn->place();
        self::assertSame(DropInState::Current, $this->dropIn->state());
        self::assertSame(0o644, fileperms($this->dropIn->path) & 0o777, 'as the folder');

        file_put_contents($this->dropIn->path, self::OLD);
        self::assertSame(DropInState::Outdated, $this->dropIn->state());
        $reader = fopen($this->dropIn->path, 'r');
        self::assertIsResource($reader);
        $this->dropIn->place();
        self::assertSame(self::NEW, file_get_contents($this->dropIn->path));
        self::assertSame(self::OLD, stream_get_contents($reader), 'a reader of the old file is not disturbed');

        $this->dropIn->remove();
        self::assertSame(DropInState::Absent, $this->dropIn->state());
        $this->dropIn->remove();
        self::assertSame(['.', '..', 'template.php'], scandir($this->folder));
    }

    public function testLeavesForeignOnes(): void
    {
        foreach ([
            '', '<?php', "<?php\n/** Plugin Name: Redis Object Cache Drop-In */",
            "<?php\n/* A cache. The plugin copies this file to wp-content. */", '<?php // Larder',
            "<?php\n/* A cache beside Larder. */\n/* The plugin copies this file to wp-content. */",
            "<?php\n\$x = 1;\n" . substr(self::NEW, 7),
        ] as $foreign) {
            file_put_contents($this->dropIn->path, $foreign);
            self::assertSame(DropInState::Foreign, $this->dropIn->state(), $foreign);
            $this->assertRefused(Problem::Foreign, fn() => $this->dropIn->place());
            $this->dropIn->remove();
            self::assertSame($foreign, file_get_contents($this->dropIn->path));
        }
    }

    public function testRefusesADanglingLink(): void
    {
        symlink("$this->folder/nowhere.php", $this->dropIn->path);
        self::assertSame(DropInState::Foreign, $this->dropIn->state());
        $this->assertRefused(Problem::Foreign, fn() => $this->dropIn->place());
    }

    public function testConfigurationKeepsModeOwnerAndLink(): void
    {
        mkdir("$this->folder/shared");
        file_put_contents("$this->folder/shared/wp-config.php", self::CONFIG);
        chmod("$this->folder/shared/wp-config.php", 0o640);
        if (posix_geteuid() === 0) {
            chown("$this->folder/shared/wp-config.php", 'www-data');
            chgrp("$this->folder/shared/wp-config.php", 'www-data');
        }
        symlink('shared/wp-config.php', "$this->folder/wp-config.php");
        $before = stat("$this->folder/wp-config.php");
        self::assertIsArray($before);

        $config = new ConfigFile("$this->folder/wp-config.php");
        $config->setCache();
        clearstatcache();
        $after = stat("$this->folder/wp-config.php");
        self::assertIsArray($after);
        self::assertStringContainsString("\ndefine('WP_CACHE', true);", (string) file_get_contents($config->path));
        self::assertTrue(is_link("$this->folder/wp-config.php"));
        foreach (['mode', 'uid', 'gid'] as $name) {
            self::assertSame($before[$name], $after[$name]);
        }
        self::assertNotSame($before['ino'], $after['ino'], 'by rename');

        $config->unsetCache();
        self::assertSame(self::CONFIG, file_get_contents($config->path));
        self::assertSame(['.', '..', 'wp-config.php'], scandir("$this->folder/shared"));
    }

    public function testConfigurationThatCannotBeWrittenStays(): void
    {
        file_put_contents("$this->folder/wp-config.php", self::CONFIG);
        $config = new ConfigFile("$this->folder/wp-config.php");
        $this->asVisitor(0o555, fn() => $this->assertRefused(Problem::NotWritable, $config->setCache(...)));
        self::assertSame(self::CONFIG, file_get_contents($config->path));

        if (posix_geteuid() === 0) { // else the folder's user is the file's owner
            $this->asVisitor(0o777, fn() => $this->assertRefused(Problem::OtherOwner, $config->setCache(...)));
        }
        self::assertSame(self::CONFIG, file_get_contents($config->path));
        self::assertSame(['.', '..', 'template.php', 'wp-config.php'], scandir($this->folder));

        file_put_contents($config->path, '<?php define(');
        $this->assertRefused(Problem::NotParsed, $config->setCache(...));
        file_put_contents($config->path, "<?php define('WP_CACHE', cache());");
        $this->assertRefused(Problem::ElsewhereDefined, $config->setCache(...));
    }

    public function testChangeByAnotherProcessSurvives(): void
    {
        file_put_contents("$this->folder/wp-config.php", self::CONFIG . '// edited');
        $write = fn() => AtomicFile::write("$this->folder/wp-config.php", 'new', self::CONFIG);
        $this->assertRefused(Problem::ChangedMeanwhile, $write);
        self::assertSame(self::CONFIG . '// edited', file_get_contents("$this->folder/wp-config.php"));
        $create = fn() => AtomicFile::write("$this->folder/wp-config.php", 'new', null);
        $this->assertRefused(Problem::ChangedMeanwhile, $create);
    }

    public function testRemovesWhatAKilledProcessLeft(): void
    {
        foreach ([3600, 0] as $age) {
            touch("$this->folder/object-cache-larder-$age.php", time() - $age);
        }
        $this->dropIn->place();
        $files = ['.', '..', 'object-cache-larder-0.php', 'object-cache.php', 'template.php'];
        self::assertSame($files, scandir($this->folder));
    }

    /**
     * @param \Closure(): mixed $action
     */
    private function assertRefused(Problem $problem, \Closure $action): void
    {
        try {
            $action();
        } catch (Refused $refused) {
            self::assertSame($problem, $refused->problem);

            return;
        }
        self::fail('not refused');
    }

    /** Without root's rights, in a folder with this mode. */
    private function asVisitor(int $mode, \Closure $action): void
    {
        $user = posix_geteuid();
        chmod($this->folder, $mode);
        if ($user === 0) {
            posix_seteuid(posix_getpwnam('nobody')['uid'] ?? 65534);
        }
        try {
            $action();
        } finally {
            posix_seteuid($user);
            chmod($this->folder, 0o755);
        }
    }
}
