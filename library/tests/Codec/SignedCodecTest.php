<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Codec\Failure;
use Larder\Internal\Codec\IgbinaryCodec;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Codec\SignedCodec;
use Larder\Internal\Codec\SigningKeys;
use PHPUnit\Framework\TestCase;

/** Only a program with the key can store a readable value. Each test has a control without a signature. */
final class SignedCodecTest extends TestCase
{
    private const OLD = 'the-old-key-which-has-32-bytes-at-least';
    private const NEW = 'the-new-key-which-has-32-bytes-at-least';

    protected function setUp(): void
    {
        Planted::$made = 0;
    }

    public function testForgedValueIsAMissAndCreatesNoObject(): void
    {
        $signed = $this->codec(self::OLD);
        foreach ([new PhpCodec(), new IgbinaryCodec(), $this->codec(self::NEW)] as $attacker) {
            $forged = $attacker->encode([new Planted()], 'k');
            self::assertSame('miss', $signed->decode($forged, 'k', 'miss'));
        }
        self::assertSame(0, Planted::$made);
        self::assertSame([Failure::Unsigned->value => 2, Failure::Forged->value => 1], $signed->failures()->counts());
    }

    /** The control of the test above. */
    public function testForgedValueIsReadWithoutSignature(): void
    {
        self::assertEquals(
            [new Planted()],
            (new PhpCodec())->decode((new PhpCodec())->encode([new Planted()], 'k'), 'k', 'miss'),
        );
        self::assertSame(1, Planted::$made);
    }

    public function testSignatureIsBoundToKeyAndContext(): void
    {
        $codec = $this->codec(self::OLD);
        $bytes = $codec->encode('admin', 'role:7');
        self::assertSame('admin', $codec->decode($bytes, 'role:7', 'miss'), 'the control: in its own place it is read');
        self::assertSame('miss', $codec->decode($bytes, 'role:8', 'miss'));
        self::assertSame('miss', $codec->decode($bytes, 'role:', 'miss'));
        self::assertSame('miss', $this->codec(self::OLD, context: 'another')->decode($bytes, 'role:7', 'miss'));
        // nor if context, key and value together are the same bytes
        self::assertSame('miss', $this->codec(self::OLD, context: 'shopr')->decode($bytes, 'ole:7', 'miss'));
        self::assertSame([Failure::Forged->value => 2], $codec->failures()->counts());
    }

    public function testSignatureCoversEveryBit(): void
    {
        $codec = $this->codec(self::OLD);
        $bytes = $codec->encode(['a' => 1], 'k');
        for ($bit = 0; $bit < 8 * \strlen($bytes); ++$bit) {
            $changed = $bytes;
            $changed[$bit >> 3] = \chr(\ord($changed[$bit >> 3]) ^ (1 << ($bit & 7)));
            self::assertSame('miss', $codec->decode($changed, 'k', 'miss'));
        }
        self::assertSame('miss', $codec->decode($bytes . 'x', 'k', 'miss'));
        self::assertSame(['a' => 1], $codec->decode($bytes, 'k', 'miss'));
    }

    public function testOldSigningKeyStillVerifies(): void
    {
        $old = $this->codec(self::OLD)->encode('value', 'k');
        $both = $this->codec(self::NEW, self::OLD);
        self::assertSame('value', $both->decode($old, 'k', 'miss'));
        $new = $both->encode('value', 'k');
        self::assertSame('value', $this->codec(self::NEW)->decode($new, 'k', 'miss'), 'the first key signs');
        self::assertSame('miss', $this->codec(self::NEW)->decode($old, 'k', 'miss'), 'an old key that was taken away');
        self::assertSame('miss', $this->codec(self::OLD)->decode($new, 'k', 'miss'));
    }

    public function testSigningKeyIsNotDumped(): void
    {
        $codec = $this->codec(self::OLD);
        ob_start();
        var_dump($codec);
        print_r($codec);
        var_export($codec);
        $shown = (string) ob_get_clean();
        $shown .= json_encode($codec) . print_r((array) $codec, true);

        try {
            serialize($codec);
        } catch (\Exception $error) {
            $shown .= $error;
        }

        try {
            $codec->encode(static fn(): int => 1, 'k');
        } catch (\Exception $error) {
            $shown .= $error;
        }
        self::assertStringNotContainsString('the-old-key', $shown);
        self::assertStringContainsString('SignedCodec', $shown, 'the control: the rest is shown');
    }

    public function testShortSigningKeyIsRefusedWithoutQuotingIt(): void
    {
        try {
            SigningKeys::of('secret');
        } catch (\InvalidArgumentException $error) {
            self::assertStringContainsString('32 bytes at least', $error->getMessage());
            self::assertStringNotContainsString('secret', (string) $error);

            return;
        }
        self::fail('a short key was taken');
    }

    private function codec(string $key, string $older = '', string $context = 'shop'): SignedCodec
    {
        return new SignedCodec(new PhpCodec(), SigningKeys::in($key . "\n" . $older), $context);
    }
}
