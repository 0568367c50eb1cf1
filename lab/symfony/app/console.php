<?php

declare(strict_types=1);

use App\Kernel;
use Symfony\Bundle\FrameworkBundle\Console\Application;

require __DIR__ . '/../../../var/symfony-app/vendor/autoload.php';

(new Application(new Kernel('prod', false)))->run();
