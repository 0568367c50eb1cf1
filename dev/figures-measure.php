<?php

declare(strict_types=1);

// What dev/figures runs to measure the engine and the library. php dev/figures-measure.php --help

use Larder\Dev\Figures\FiguresCommand;
use Symfony\Component\Console\Application;

require __DIR__ . '/../vendor/autoload.php';

$application = new Application('dev/figures');
$application->add(new FiguresCommand());
$application->setDefaultCommand('figures', true);
$application->run();
