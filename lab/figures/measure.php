<?php

declare(strict_types=1);

// Started by lab/figures/run: measures the engine and the library. php lab/figures/measure.php --help

use Larder\Lab\Figures\FiguresCommand;
use Symfony\Component\Console\Application;

require __DIR__ . '/../../vendor/autoload.php';

$application = new Application('lab/figures/run');
$application->add(new FiguresCommand());
$application->setDefaultCommand('figures', true);
$application->run();
