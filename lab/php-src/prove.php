<?php

declare(strict_types=1);

/*
 * The part of lab/php-src/prove in PHP: replaces the literals of php-src's own tests by fetched values, and stores
 * these values in the cache.
 *
 *     prove.php rewrite TREE LIST VALUES TOUCHED     rewrites the tests of a list, and prints counts
 *     prove.php store VALUES [apart]                 stores the values of the literals
 *     prove.php check VALUES                         fails if a fetched value differs from the stored one
 */

use PhpParser\Node;
use PhpParser\Node\Expr;
use PhpParser\Node\Scalar;
use PhpParser\NodeVisitor;

require __DIR__ . '/../../vendor/autoload.php';

/** Settings of tests that depend on their own source, and so stay unchanged: they show opcodes or recode literals. */
const ABOUT_SOURCES = '/^(?:opcache\.opt_debug_level|zend\.multibyte)\s*=/mi';

/**
 * Finds the literals of a script that fetched values can replace: strings, and arrays that contain only literals. A
 * literal inside a larger one is not counted separately.
 *
 * Left out are literals where PHP requires constants (defaults, constants, static variables, attributes, enum cases,
 * declare), and the arguments of assert(), because their source becomes the message. Parts of strings that contain
 * variables are not literals.
 */
final class Literals extends PhpParser\NodeVisitorAbstract
{
    /** @var list<Scalar\String_|Expr\Array_> */
    public array $found = [];
    public int $constant = 0;
    private int $within = 0; // number of enclosing nodes that must be constant

    public function enterNode(Node $node): ?int
    {
        $this->within += (int) self::mustBeConstant($node);
        if (!($node instanceof Scalar\String_ || $node instanceof Expr\Array_) || !self::isLiteral($node)) {
            return null;
        }
        if ($this->within > 0) {
            ++$this->constant;
        } else {
            $this->found[] = $node;
        }

        return NodeVisitor::DONT_TRAVERSE_CHILDREN;
    }

    public function leaveNode(Node $node): null
    {
        $this->within -= (int) self::mustBeConstant($node);

        return null;
    }

    private static function mustBeConstant(Node $node): bool
    {
        return $node instanceof Node\Param || $node instanceof Node\PropertyItem || $node instanceof Node\Const_ || $node instanceof Node\Stmt\EnumCase
            || $node instanceof Node\StaticVar || $node instanceof Node\AttributeGroup || $node instanceof Node\DeclareItem
            || $node instanceof Expr\FuncCall && $node->name instanceof Node\Name && $node->name->toLowerString() === 'assert';
    }

    private static function isLiteral(Node $node): bool
    {
        if ($node instanceof Expr\Array_) {
            foreach ($node->items as $item) {
                if ($item->byRef || $item->unpack || !self::isLiteral($item->value) || ($item->key !== null && !self::isLiteral($item->key))) {
                    return false;
                }
            }

            return true;
        }
        if ($node instanceof Expr\UnaryMinus || $node instanceof Expr\UnaryPlus) {
            return $node->expr instanceof Scalar\Int_ || $node->expr instanceof Scalar\Float_;
        }
        if ($node instanceof Expr\ConstFetch) {
            return in_array($node->name->toLowerString(), ['true', 'false', 'null'], true);
        }

        return $node instanceof Scalar\String_ || $node instanceof Scalar\Int_ || $node instanceof Scalar\Float_;
    }
}

/** PHP's value of a literal. Throws if compiling it gives a warning, because a fetch would not give that warning. */
function evaluate(string $literal): mixed
{
    error_clear_last();
    $value = @eval("return $literal;");

    return error_get_last() === null ? $value : throw new RuntimeException('compiling this literal gives a warning');
}

/** Closes a call, and adds as many line breaks as the literal has. PHP reports the line where a string ends. */
function at_its_line(string $call, string $literal, Node $node): string
{
    $lines = (int) preg_match_all('/\r\n|\r|\n/', $literal);
    $behind = match (true) {
        $node instanceof Expr\Array_ => $lines,
        in_array($node->getAttribute('kind'), [Scalar\String_::KIND_HEREDOC, Scalar\String_::KIND_NOWDOC], true) => min($lines, 1),
        default => 0,
    };

    return str_repeat("\n", $lines - $behind) . $call . str_repeat("\n", $behind) . ')';
}

/**
 * The script with each literal replaced by a fetch, on the same lines.
 *
 * @param bool $replace false to count the literals only
 * @param array<string, string> $values literals by their keys; those of this script are added
 * @param array<string, int> $counts
 */
function rewrite_script(string $script, bool $replace, array &$values, array &$counts): string
{
    $literals = new Literals();
    try {
        $statements = (new PhpParser\ParserFactory())->createForVersion(PhpParser\PhpVersion::fromComponents(8, 2))->parse($script) ?? [];
    } catch (PhpParser\Error) {
        ++$counts['scripts that do not parse'];

        return $script;
    }
    (new PhpParser\NodeTraverser($literals))->traverse($statements);

    $counts['literals where PHP wants constants'] += $literals->constant;
    // From the end, so that the positions of earlier literals stay valid.
    usort($literals->found, static fn(Node $a, Node $b): int => $b->getStartFilePos() <=> $a->getStartFilePos());
    foreach ($literals->found as $node) {
        $start = $node->getStartFilePos();
        $length = $node->getEndFilePos() + 1 - $start;
        $literal = substr($script, $start, $length);
        if (preg_match('/^(?:b?[\'"]|b?<<<|\[|array)/i', $literal) !== 1) {
            continue; // a key without quotes, in a string: "$array[key]"
        }
        ++$counts['other literals'];
        if (!$replace) {
            continue;
        }
        try {
            $value = evaluate($literal);
        } catch (Throwable) {
            continue;
        }
        ++$counts['replaced'];
        ++$counts[is_array($value) ? 'arrays' : 'strings'];
        if ($value === [] || is_string($value) && strlen($value) <= 1) {
            ++$counts['of them empty or of one byte'];
        }
        $key = 'literal:' . hash('xxh128', serialize($value));
        $values[$key] = $literal;
        $call = at_its_line("\\larder_fetch('$key'", $literal, $node);
        $touches = $start > 0 && ctype_alnum($script[$start - 1]); // echo"text"
        $script = substr_replace($script, ($touches ? ' ' : '') . $call, $start, $length);
    }

    return $script;
}

/**
 * Rewrites the script of a test. That includes text after a line `===DONE===`, although run-tests.php leaves that out.
 *
 * @param array<string, string> $values
 * @param array<string, int> $counts
 */
function rewrite_test(string $test, array &$values, array &$counts): string
{
    if (preg_match('/^--FILE(?:EOF)?--[^\n]*\n(.*?)(?=^--[A-Z_]+--|\z)/ms', $test, $match, PREG_OFFSET_CAPTURE) !== 1) {
        return $test;
    }
    [$script, $start] = $match[1];
    $replace = preg_match(ABOUT_SOURCES, $test) !== 1;

    return substr_replace($test, rewrite_script($script, $replace, $values, $counts), $start, strlen($script));
}

/** Rewrites the listed tests. Writes the literals to $file, and the names of the changed tests to $touched. */
function rewrite(string $tree, string $list, string $file, string $touched): void
{
    $values = $changed = [];
    $counts = array_fill_keys(['tests', 'scripts that do not parse', 'literals where PHP wants constants', 'other literals', 'replaced', 'strings', 'arrays', 'of them empty or of one byte'], 0);
    foreach ((array) file($list, \FILE_IGNORE_NEW_LINES) as $name) {
        $replaced = $counts['replaced'];
        $test = (string) file_get_contents("$tree/$name");
        file_put_contents("$tree/$name", rewrite_test($test, $values, $counts));
        ++$counts['tests'];
        if ($counts['replaced'] > $replaced) {
            $changed[] = "$name\n";
        }
    }
    // as literals, because unserialize() would create another kind of array: a hash instead of a list
    $lines = array_map(static fn(string $key, string $literal): string => "'$key' => $literal,\n", array_keys($values), $values);
    file_put_contents($file, ["<?php\nreturn [\n", ...$lines, "];\n"]);
    file_put_contents($touched, $changed);
    $counts += ['tests with replaced literals' => count($changed), 'different values' => count($values)];
    echo implode(', ', array_map(static fn(string $what, int $count): string => number_format($count) . " $what", array_keys($counts), $counts)), "\n";
}

/** @return array<string, mixed> */
function values(string $file): array
{
    $values = require $file;
    is_array($values) || throw new RuntimeException("$file holds no values");

    /** @var array<string, mixed> $values as rewrite() wrote them */
    return $values;
}

/** @param string $apart 'apart': each short value gets its own page, filled up with values that are never fetched */
function store(string $file, string $apart = ''): void
{
    foreach (values($file) as $key => $value) {
        larder_store($key, $value) || throw new RuntimeException("$key is not stored");
        foreach ($apart === 'apart' ? ['one', 'other'] : [] as $filler) {
            larder_store("$key $filler", str_repeat('x', 32_000));
        }
    }
    check($file);
}

function check(string $file): void
{
    $values = values($file);
    foreach ($values as $key => $value) {
        larder_fetch($key) === $value || throw new RuntimeException("$key is not fetched as it was stored");
    }
    $figures = array_intersect_key(larder_info(), ['hits' => 0, 'copies' => 0, 'misses' => 0]);
    echo '   ', number_format(count($values)), ' values are in the cache as they were stored; ', json_encode($figures, \JSON_THROW_ON_ERROR), " so far\n";
}

match ($argv[1] ?? '') {
    'rewrite' => rewrite(...array_slice($argv, 2)),
    'store' => store(...array_slice($argv, 2)),
    'check' => check(...array_slice($argv, 2)),
    default => throw new InvalidArgumentException('rewrite, store or check'),
};
