<?php

declare(strict_types=1);

namespace Larder\WordPress\Tests;

use Larder\WordPress\Plugin\ConfigSource;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class ConfigSourceTest extends TestCase
{
    private const SETTINGS = "require_once ABSPATH . 'wp-settings.php';\n";
    private const OURS = "define('WP_CACHE', true); /* set by Larder */";

    /** @return iterable<string, array{string, string}> code, and the code that sets WP_CACHE */
    public static function editable(): iterable
    {
        yield 'none' => ["<?php\n\$a = 1;\n", "<?php\n" . self::OURS . "\n\$a = 1;\n"];
        yield 'comment first' => ["<?php\n/** A */\n\$a = 1;", "<?php\n" . self::OURS . "\n/** A */\n\$a = 1;"];
        yield 'on the line of the tag' => ['<?php $a = 1;', '<?php ' . self::OURS . "\n\$a = 1;"];
        yield 'upper case' => ["<?PHP\n\$a = 1;", "<?PHP\n" . self::OURS . "\n\$a = 1;"];
        yield 'line ends of Windows' => ["<?php\r\n\$a = 1;\r\n", "<?php\r\n" . self::OURS . "\r\n\$a = 1;\r\n"];
        yield 'byte order mark' => ["\u{FEFF}<?php\n\$a = 1;\n", "\u{FEFF}<?php\n" . self::OURS . "\n\$a = 1;\n"];
        yield 'strict types' => [
            "<?php\n// strict\ndeclare(strict_types=1);\n\$a = 1;\n",
            "<?php\n// strict\ndeclare(strict_types=1);\n" . self::OURS . "\n\$a = 1;\n",
        ];
        yield 'namespace' => [
            "<?php\ndeclare(strict_types=1);\n\nnamespace Site; // of shop\n\$a = 1;",
            "<?php\ndeclare(strict_types=1);\n\nnamespace Site;\n" . self::OURS . " // of shop\n\$a = 1;",
        ];
        foreach ([
            "// define('WP_CACHE', true);", "# define('WP_CACHE', false);", "/*\ndefine('WP_CACHE', true);\n*/",
            "\$text = \"define('WP_CACHE', true);\";", "\$text = <<<'T'\ndefine('WP_CACHE', true);\nT;",
            "define('WP_CACHE_KEY_SALT', 'x');", "\$a = null; \$a?->define('WP_CACHE_X', false);",
        ] as $code) {
            yield "no definition: $code" => ["<?php\n$code\n", "<?php\n" . self::OURS . "\n$code\n"];
        }
        foreach ([
            "define('WP_CACHE', %s);", 'define( "WP_CACHE" , %s ) ;', "\\define('WP_CACHE', %s);",
            "DEFINE('WP_CACHE', %s); // by hand", 'const WP_CACHE = %s;', "define(/* cache */ 'WP_CACHE', %s);",
            "if (\$_SERVER['HTTPS']) { \$a = \"{\$b}\"; }\ndefine('WP_CACHE', %s);",
        ] as $code) {
            yield "false: $code" => [
                "<?php\n" . \sprintf($code, 'false') . "\n" . self::SETTINGS,
                "<?php\n" . \sprintf($code, 'true /* set by Larder */') . "\n" . self::SETTINGS,
            ];
            $set = "<?php\n" . \sprintf($code, 'true') . "\n" . self::SETTINGS;
            yield "true: $code" => [$set, $set];
        }
    }

    #[DataProvider('editable')]
    public function testSetsAndUnsets(string $code, string $expected): void
    {
        $set = (new ConfigSource($code))->withCache();
        self::assertSame($expected, $set);
        self::assertSame($set, (new ConfigSource($set))->withCache(), 'twice');
        self::assertSame($code, (new ConfigSource($set))->withoutCache());
    }

    /** Runs what comes out. */
    #[DataProvider('editable')]
    public function testResultDefinesTheConstant(string $code): void
    {
        $set = (string) (new ConfigSource($code))->withCache();
        $file = (string) tempnam(sys_get_temp_dir(), 'larder-config-');
        $test = "\necho \\WP_CACHE === true ? 'true' : 'other';";
        file_put_contents($file, preg_replace('~^require_once.*~m', '', $set) . $test);
        $said = shell_exec(escapeshellarg(\PHP_BINARY) . ' -n -d error_reporting=1 ' . escapeshellarg($file));
        unlink($file);
        self::assertSame('true', ltrim((string) $said, "\u{FEFF}"));
    }

    /** @return iterable<string, array{string}> */
    public static function leftAlone(): iterable
    {
        yield 'computed' => ["<?php\ndefine('WP_CACHE', getenv('CACHE') === '1');\n"];
        yield 'computed from false' => ["<?php\ndefine('WP_CACHE', false || \$x);\n"];
        yield 'two' => ["<?php\nif (\$a) { define('WP_CACHE', false); } else { define('WP_CACHE', true); }\n"];
        yield 'in a block' => ["<?php\nif (!defined('WP_CACHE')) { define('WP_CACHE', false); }\n"];
        yield 'true in a block' => ["<?php\nif (\$a) { define('WP_CACHE', true); }\n"];
        yield 'after a condition' => ["<?php\nif (\$a) define('WP_CACHE', false);\n"];
        yield 'after another condition' => ["<?php\nif (\$a) { \$b = 1; } else define('WP_CACHE', false);\n"];
        yield 'unless defined' => ["<?php\ndefined('WP_CACHE') || define('WP_CACHE', false);\n"];
        yield 'in a block without braces' => ["<?php\nif (\$a):\n\$b = 1;\ndefine('WP_CACHE', false);\nendif;\n"];
        yield 'in a function' => ["<?php\nfunction f() { \$a = \"{\$b}\"; define('WP_CACHE', false); }\n"];
        yield 'in a class' => ["<?php\nclass C { const WP_CACHE = false; }\n"];
        yield 'too late' => ["<?php\n" . self::SETTINGS . "define('WP_CACHE', false);\n"];
        yield 'a namespace with braces' => ["<?php\nnamespace A { \$a = 1; }\n"];
        yield 'no PHP' => ['nothing'];
        yield 'tag at the end' => ['<?php'];
    }

    #[DataProvider('leftAlone')]
    public function testLeavesWhatItDoesNotUnderstand(string $code): void
    {
        self::assertNull((new ConfigSource($code))->withCache());
        self::assertSame($code, (new ConfigSource($code))->withoutCache());
    }

    public function testLeavesALineOfAnotherPlugin(): void
    {
        $code = "<?php\ndefine('WP_CACHE', true); // Added by WP Rocket\n";
        self::assertSame($code, (new ConfigSource($code))->withoutCache());
    }

    public function testRefusesCodeThatDoesNotParse(): void
    {
        $this->expectException(\ParseError::class);
        new ConfigSource("<?php\ndefine('A', 1;\n");
    }
}
