--TEST--
A fetched path is included, compiled and resolved in every spelling
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$folder = getenv('LARDER_TEST_CACHE') . '/included ' . bin2hex(random_bytes(4));
mkdir("$folder/real", 0700, true);
symlink('real', "$folder/link");
// of each spelling a file that opcache does not know yet, old enough for it
$number = 0;
$new = function (string $content) use ($folder, &$number): string {
    $name = 'file' . ++$number . '.php';
    file_put_contents("$folder/real/$name", $content);
    touch("$folder/real/$name", time() - 100);

    return $name;
};
$fetched = function (string $path): string {
    larder_store('name of a file', $path);

    return larder_fetch('name of a file');
};
$spellings = [
    'canonical' => "$folder/real/%s",
    'symlink' => "$folder/link/%s",
    'parent' => "$folder/real/../real/%s",
    'dot' => "$folder/./real/%s",
    'slashes' => "$folder//real//%s",
    'url' => "file://$folder/real/%s",
    'relative' => 'real/%s',
    'relative to here' => './link/%s',
    'in the include path' => '%s',
    'missing' => "$folder/real/no/%s",
];
$ways = [
    'include' => fn (string $path) => @include $path,
    'require' => fn (string $path) => @require $path,
    'include_once' => fn (string $path) => @include_once $path,
    'require_once' => fn (string $path) => @require_once $path,
    'stream_resolve_include_path' => fn (string $path) => stream_resolve_include_path($path) !== false,
    'highlight_file' => fn (string $path) => is_string(@highlight_file($path, true)),
    'php_strip_whitespace' => fn (string $path) => @php_strip_whitespace($path) !== '',
];
if (function_exists('opcache_compile_file') && opcache_get_status(false)) {
    $ways['opcache_compile_file'] = fn (string $path) => @opcache_compile_file($path);
    $ways['opcache_compile_file as a closure'] = fn (string $path) => @(opcache_compile_file(...))($path);
    $ways['opcache_is_script_cached'] = fn (string $path) => is_bool(opcache_is_script_cached($path));
    $ways['opcache_invalidate'] = fn (string $path) => is_bool(opcache_invalidate($path, true));
}
chdir($folder);
set_include_path($fetched("$folder/real:$folder"));
foreach ($ways as $way => $do) {
    foreach ($spellings as $spelling => $path) {
        if ($spelling === 'missing' && str_starts_with($way, 'require')) {
            continue; // ends the script
        }
        $name = $new("<?php return '$way' === 'include' ? 'included' : 1;");
        // by a name of its own, and then by one that leads to what opcache knows by then
        foreach ([sprintf($path, $name), sprintf($path, $name), sprintf("$folder/link/../%s", "real/$name")] as $spelled) {
            $result = $do($fetched($spelled));
            if (!$result && $spelling !== 'missing') {
                echo "$way, $spelling: ", var_export($result, true), "\n";
            }
        }
    }
}

// a class map that was fetched
$map = [];
foreach ($spellings as $spelling => $path) {
    if ($spelling !== 'missing') {
        $class = 'Mapped_' . bin2hex($spelling);
        $map[$class] = sprintf($path, $new("<?php class $class { const FILE = __FILE__; }"));
    }
}
larder_store('class map', $map);
spl_autoload_register(function (string $class): void {
    $map = larder_fetch('class map');
    if (isset($map[$class])) {
        require $map[$class];
    }
});
foreach ($map as $class => $path) {
    if (realpath($class::FILE) !== $class::FILE && !str_starts_with($path, 'file://')) {
        echo "$path was loaded as ", $class::FILE, "\n";
    }
}
spl_autoload_extensions($fetched('.class'));
file_put_contents("$folder/real/by_name.class", '<?php class By_Name { }');
spl_autoload('By_Name');
echo class_exists('By_Name', false) ? '' : "not loaded\n";
larder_fetch('class map') === $map || print "the class map has changed\n";
array_map('unlink', glob("$folder/real/*"));

unchanged();
?>
--EXPECT--
unchanged
