<?php

// A small shop, visited by ShopTest: it knows the user, and what is in the basket.

declare(strict_types=1);

use Larder\Cache;
use Larder\Session\Handler;

$sent = static fn(string $name): string => is_string($_POST[$name] ?? null) ? $_POST[$name] : '';
$visitor = $sent('visitor');
$article = $sent('article');
$arrivals = (string) getenv('ARRIVALS'); // a folder with a file for each request that puts something into the basket

// Without STORE, PHP's settings name the handler.
$store = getenv('STORE');
if ($store !== false) {
    require dirname(__DIR__, 3) . '/vendor/autoload.php';
    session_set_save_handler(new Handler(Cache::open($store)), true);
}
if ($article !== '') {
    touch($arrivals . '/' . basename($article));
}
session_start();
$basket = is_array($_SESSION['basket'] ?? null) ? $_SESSION['basket'] : [];
if ($visitor !== '') {
    session_regenerate_id(true);
    $_SESSION['visitor'] = $visitor;
}
if ($article !== '' && isset($_SESSION['visitor'])) {
    // Waits until both tabs have sent their request. Without a lock, both have then read before either writes.
    while (count((array) glob("$arrivals/*")) < 2) {
        usleep(5_000);
    }
    usleep(300_000);
    $_SESSION['basket'] = [...$basket, $article];
}
if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    header('Location: shop.php', true, 303);
    exit;
}
$text = static fn(mixed $value): string => htmlspecialchars(is_string($value) ? $value : '');
?>
<!DOCTYPE html>
<html lang="en">
<title>Shop</title>
<form method="post">
<?php if (isset($_SESSION['visitor'])) { ?>
    <p id="visitor"><?= $text($_SESSION['visitor']) ?></p>
    <ul id="basket"><?php foreach ($basket as $each) { ?><li><?= $text($each) ?></li><?php } ?></ul>
    <button name="article" value="book">A book</button>
    <button name="article" value="pen">A pen</button>
<?php } else { ?>
    <input name="visitor">
    <button>Log in</button>
<?php } ?>
</form>
</html>
