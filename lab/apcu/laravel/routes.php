<?php

declare(strict_types=1);

use App\Lists;
use Illuminate\Support\Facades\Route;

Route::get('/lists', Lists::class);
