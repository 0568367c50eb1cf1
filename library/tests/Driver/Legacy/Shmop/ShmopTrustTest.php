<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Legacy\Shmop;

use Larder\Internal\Driver\Common\Envelope;
use Larder\Internal\Driver\Legacy\Shmop\SharedBlock;
use Larder\Internal\Driver\Legacy\Shmop\ShmopStore;
use Larder\Tests\Driver\Sqlite\Hostile\Bomb;
use Larder\Tests\OtherUser;
use PHPUnit\Framework\TestCase;

/** Root acts as www-data, who owns the cache, and as nobody, who creates blocks that everybody can read and write. */
final class ShmopTrustTest extends TestCase
{
    private const VICTIM = 33;
    private const STRANGER = 65_534;

    private ShmopStore $store;
    private ?\Shmop $block = null;

    protected function setUp(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('It acts as other users, which takes root');
        }
        Bomb::$exploded = false;
        OtherUser::become(self::VICTIM);
        $this->store = new ShmopStore('trust' . bin2hex(random_bytes(4)));
    }

    protected function tearDown(): void
    {
        if (posix_getuid() === 0) {
            $this->store->clear();
            posix_seteuid(0);
            $this->block === null || shmop_delete($this->block);
        }
    }

    public function testPlantedBlockIsNeitherReadNorWritten(): void
    {
        foreach (["lrd\1", "lrd\2"] as $mark) {
            $this->plant($mark . str_repeat("\0", 28), 'k');
            self::assertNull($this->store->get('k'));
            self::assertFalse($this->store->has('k'));
            self::assertFalse($this->store->set('k', 'mine'));
            self::assertFalse($this->store->add('k', 'mine'));
            self::assertNull($this->store->get('k'));
            self::assertSame([], [...$this->store->keys()]);
            self::assertFalse(Bomb::$exploded);
            self::assertStringNotContainsString('mine', $this->planted());
        }
    }

    /** It looks like a block whose creator died before writing. */
    public function testZeroedBlockIsNotWritten(): void
    {
        $this->plant('', '', 128 + 13);
        self::assertFalse($this->store->set('k', 'mine'));
        self::assertSame('', trim($this->planted(), "\0"));
    }

    public function testSecretIsNotReadableByOthers(): void
    {
        self::assertTrue($this->store->set('k', 'mine'));
        OtherUser::become(self::STRANGER);
        self::assertFalse(@shmop_open($this->store->id('k'), 'a', 0, 0));
        self::assertFalse(@file_get_contents('/dev/shm/larder-shmop-' . self::VICTIM . '/secret'));
        OtherUser::become(self::VICTIM);
        self::assertSame('mine', $this->store->get('k'));
    }

    /** The control: with the tags of the victim's block, the planted object is created. */
    public function testPlantedObjectIsCreatedWithTheSecret(): void
    {
        self::assertTrue($this->store->set('k', 'mine'));
        $mine = shmop_open($this->store->id('k'), 'a', 0, 0);
        self::assertNotFalse($mine);
        $head = shmop_read($mine, 0, 32);
        $this->store->delete('k');
        unset($mine);
        $this->plant($head, 'k');
        self::assertInstanceOf(Bomb::class, $this->store->get('k'));
        self::assertTrue(Bomb::$exploded);
    }

    public function testBlocksOfALostSecretAreReplaced(): void
    {
        $block = new SharedBlock('lost', 'secret');
        self::assertTrue($block->write(0x1EAF1EAE, 'envelope'));
        self::assertSame('envelope', $block->read(0x1EAF1EAE));
        self::assertNull((new SharedBlock('lost', 'another'))->read(0x1EAF1EAE));
        self::assertTrue(SharedBlock::discard(0x1EAF1EAE));
    }

    private function plant(string $head, string $key, int $size = 0): void
    {
        $envelope = Envelope::seal(serialize(new Bomb()), 0.0, $key);
        $bytes = $head === ''
            ? str_repeat("\0", $size)
            : substr_replace($head, pack('V', \strlen($envelope)), 4, 4) . $envelope;
        posix_seteuid(0);
        $this->block === null || shmop_delete($this->block);
        OtherUser::become(self::STRANGER);
        $block = shmop_open($this->store->id('k'), 'n', 0o666, \strlen($bytes));
        self::assertNotFalse($block);
        $this->block = $block;
        shmop_write($block, $bytes, 0);
        OtherUser::become(self::VICTIM);
    }

    private function planted(): string
    {
        self::assertNotNull($this->block);

        return shmop_read($this->block, 0, shmop_size($this->block));
    }
}
