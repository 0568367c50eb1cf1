<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** The controls of PagesTest: wrong examples fail. */
final class ExampleTest extends TestCase
{
    /** @return iterable<string, array{string}> */
    public static function right(): iterable
    {
        yield 'prints nothing' => ["```php\n\$x = 1;\n```\n"];
        yield 'prints what stands after it' => ["```php\necho 6 * 7;\n```\n\n```text\n42\n```\n"];
        yield 'gives the value' => ["```php\n\$x = strtoupper('a'); // => 'A'\n\$x . 'b';  // => 'Ab'\n```\n"];
        yield 'gives an equal object' => ["```php\nnew ArrayObject([1]); // => new ArrayObject([1])\n```\n"];
        yield 'has the library' => ["```php\nuse Larder\\Cache;\nCache::open('array:')->get('nothing', 7); // => 7\n```\n"];
    }

    #[DataProvider('right')]
    public function testCorrectExampleIsAccepted(string $markdown): void
    {
        self::assertNull($this->failureOf($markdown));
    }

    /** @return iterable<string, array{string, string}> */
    public static function wrong(): iterable
    {
        yield 'prints something else' => ["```php\necho 41;\n```\n\n```text\n42\n```\n", '41'];
        yield 'prints what no page says' => ["```php\necho 41;\n```\nThis is\n```text\n41\n```\n", '41'];
        yield 'gives another value' => ["```php\n1 + 1; // => 3\n```\n", 'gives 2'];
        yield 'gives another type' => ["```php\n1 + 1; // => '2'\n```\n", 'gives 2'];
        yield 'warns' => ["```php\n\$a = []; \$b = \$a['x'];\n```\n", 'Undefined array key'];
        yield 'throws' => ["```php\nthrow new Exception('no');\n```\n", 'no'];
        yield 'cannot be parsed' => ["```php\n\$a = ;\n```\n", 'syntax error'];
        yield 'names what is not there' => ["```php\nLarder\\Nothing::open();\n```\n", 'Nothing'];
    }

    #[DataProvider('wrong')]
    public function testWrongExampleIsRefused(string $markdown, string $reason): void
    {
        self::assertStringContainsString($reason, (string) $this->failureOf($markdown));
    }

    private function failureOf(string $markdown): ?string
    {
        $examples = Page::parse('control.md', $markdown)->examples();
        self::assertCount(1, $examples);

        return reset($examples)->failure(new ExampleServers());
    }
}
