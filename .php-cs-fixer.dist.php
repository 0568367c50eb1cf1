<?php

declare(strict_types=1);

$root = __DIR__;
$folders = array_filter(
    array_map(
        static fn(string $folder): string => "$root/$folder",
        ['library', 'compat', 'cli', 'symfony', 'laravel', 'wordpress', 'tests', 'dev', 'lab'],
    ),
    'is_dir',
);
$commands = array_filter(["$root/cli/bin/larder", "$root/larder"], 'is_file');

return (new PhpCsFixer\Config())
    ->setRiskyAllowed(true)
    ->setCacheFile("$root/var/php-cs-fixer.cache")
    ->setParallelConfig(PhpCsFixer\Runner\Parallel\ParallelConfigFactory::detect())
    ->setRules([
        '@PER-CS' => true,
        'declare_strict_types' => true,
        'no_unused_imports' => true,
        'ordered_imports' => ['imports_order' => ['class', 'function', 'const']],
        'no_empty_phpdoc' => true,
        'no_superfluous_phpdoc_tags' => ['allow_mixed' => true, 'remove_inheritdoc' => false],
        'phpdoc_trim' => true,
        'single_quote' => true,
    ])
    ->setFinder(
        PhpCsFixer\Finder::create()
            ->in($folders)
            ->notPath('larder.stub.php') // PHP's generator accepts no declare
            ->append(array_filter(
                $commands,
                static fn(string $file): bool => str_contains((string) fgets(fopen($file, 'r')), 'php'),
            ))
            ->append([__FILE__]),
    );
