<?php

declare(strict_types=1);

namespace Larder\Lab\PageCache;

// The cases, by name. Each gets a site of its own posts, and throws Failed if the page cache leaks, keeps what it must
// not, or keeps what has changed. A page has a number (Answer::render()) that shows whether WordPress rendered it again.

$check = static function (bool $isTrue, string $what): void {
    $isTrue || throw new Failed($what);
};

/** First the visitor, then others: they do not see what the visitor sees. */
$leak = static function (Site $site, string $path, array $visitor, string $secret) use ($check): void {
    for ($visit = 0; $visit < 3; ++$visit) {
        $check($site->get($path, $visitor)->has($secret), "the visitor does not see [$secret]");
    }
    $check(!$site->get($path)->has($secret), "a stranger sees [$secret]");
    $check(!$site->cached($path)->has($secret), "everybody sees [$secret]");
};

/** First others, then the visitor: the visitor gets the page of the visitor. */
$own = static function (Site $site, string $path, array $visitor, string $secret) use ($check): void {
    $page = $site->cached($path);
    $answer = $site->get($path, $visitor);
    $check($answer->has($secret) && $answer->render() !== $page->render(), "the visitor gets the page of strangers, without [$secret]");
    $check($site->cached($path)->render() === $page->render(), 'the visit has changed what strangers get');
};

/** A page that WordPress must render each time, while others are cached. */
$never = static function (Site $site, string $path) use ($check): void {
    $check($site->isRendered($path), 'it is cached');
};

/** A page shows a change with the next request, and is cached again. */
$change = static function (Site $site, string $path, callable $do, string $new, string $old = '') use ($check): void {
    $before = $site->cached($path);
    $check($new === '' || !$before->has($new), "[$new] is there before the change");
    $check($old === '' || $before->has($old), "[$old] is not there before the change");
    $do();
    $after = $site->get($path);
    $check($new === '' || $after->has($new), "[$new] is missing after the change");
    $check($old === '' || !$after->has($old), "[$old] is still there after the change");
};

/** A page that is broken only once must not stay broken. */
$recovers = static function (Site $site, string $path) use ($check): void {
    $site->call('update_option', 'suite_broken', 'yes');
    $site->get($path);
    $broken = $site->get($path);
    $check(!$broken->has('</html>') || $broken->status !== 200 || !$broken->has('cart: ['), 'it is not broken');
    $site->call('update_option', 'suite_broken', 'no');
    usleep(1_100_000); // whoever keeps errors for a second may
    $answer = $site->get($path);
    $check($answer->status === 200 && $answer->has('cart: ['), 'visitors get the broken page');
};

$hash = static fn(Site $site): string => md5($site->url);
$login = static function (Site $site, string $name) use ($check): string {
    $id = $site->call('username_exists', $name);
    $id = \is_int($id) ? $id : $site->call('wp_create_user', $name, 'secret', "$name@example.org");
    $answer = $site->get('/?suite=login' . random_int(1, PHP_INT_MAX), ['X-Suite-Key: ' . getenv('SUITE_KEY')], 'POST', json_encode(['wp_set_auth_cookie', [$id]]));
    $cookies = [];
    foreach ($answer->headers['set-cookie'] ?? [] as $line) {
        $cookies[] = explode(';', $line)[0];
    }
    $check($cookies !== [], 'no login');

    return 'Cookie: ' . implode('; ', $cookies);
};
$open = static function (Site $site, string $password): string {
    $answer = $site->get('/wp-login.php?action=postpass', ["Referer: $site->url/"], 'POST', "post_password=$password");
    preg_match('~wp-postpass_[^;]+~', $answer->header('set-cookie'), $match);

    return 'Cookie: ' . ($match[0] ?? '');
};
$term = static fn(Site $site, string $name, string $taxonomy = 'category'): int
    => (int) $site->call('wp_insert_term', $name, $taxonomy)['term_id'];
$comment = static fn(Site $site, int $post, string $text, int $approved = 1): int => (int) $site->call('wp_insert_comment', [
    'comment_post_ID' => $post, 'comment_author' => 'Bo', 'comment_author_email' => 'bo@example.org',
    'comment_content' => $text, 'comment_approved' => $approved,
]);

return [
    // ---- Visitors who are somebody ----
    'a login, before strangers' => static function (Site $site) use ($leak, $login): void {
        $leak($site, $site->post('login-first')[1], [$login($site, 'ada')], 'user: [ada]');
    },
    'a login, after strangers' => static function (Site $site) use ($own, $login): void {
        $own($site, $site->post('login-last')[1], [$login($site, 'ada')], 'user: [ada]');
    },
    'a login known by its address, not by a cookie' => static function (Site $site) use ($leak): void {
        $leak($site, $site->post('member')[1], ['X-Member: 1'], 'user: [admin]');
    },
    'the author of a comment, before strangers' => static function (Site $site) use ($leak, $hash): void {
        $leak($site, $site->post('author-first')[1], ["Cookie: comment_author_{$hash($site)}=Ada"], 'author: [Ada]');
    },
    'the author of a comment, after strangers' => static function (Site $site) use ($own, $hash): void {
        $own($site, $site->post('author-last')[1], ["Cookie: comment_author_{$hash($site)}=Ada"], 'author: [Ada]');
    },
    'a cart, before strangers' => static function (Site $site) use ($leak): void {
        $leak($site, $site->post('cart-first')[1], ['Cookie: standin_cart=two-jars'], 'cart: [two-jars]');
    },
    'a cart, after strangers' => static function (Site $site) use ($own): void {
        $own($site, $site->post('cart-last')[1], ['Cookie: standin_cart=two-jars'], 'cart: [two-jars]');
    },
    'a cart beside a cookie of statistics' => static function (Site $site) use ($own): void {
        $own($site, $site->post('cart-beside')[1], ['Cookie: _ga=GA1.1; standin_cart=two-jars'], 'cart: [two-jars]');
    },
    'an opened post, before strangers' => static function (Site $site) use ($leak, $open, $check): void {
        $path = $site->post('opened-first', 'the secret jam', ['post_password' => 'sesame'])[1];
        $visitor = [$open($site, 'sesame')];
        for ($visit = 0; $visit < 3; ++$visit) {
            $check($site->get($path, $visitor)->has('the secret jam'), 'the visitor does not see it');
        }
        $check(!$site->get($path)->has('the secret jam'), 'a stranger sees it');
    },
    'an opened post, after strangers' => static function (Site $site) use ($open, $check): void {
        $path = $site->post('opened-last', 'the secret jam', ['post_password' => 'sesame'])[1];
        for ($visit = 0; $visit < 3; ++$visit) {
            $check($site->get($path)->has('post_password'), 'it needs no password');
        }
        $check($site->get($path, [$open($site, 'sesame')])->has('the secret jam'), 'the visitor does not see it');
    },
    'a cookie that nobody knows' => static function (Site $site) use ($leak): void {
        $leak($site, $site->post('shows-cookie')[1], ['Cookie: quiz_answer=forty-two'], 'forty-two');
    },
    'cookies of statistics share the page, and are not in it' => static function (Site $site) use ($check): void {
        $path = $site->post('shows-cookie_b')[1];
        $first = $site->get($path, ['Cookie: _ga=GA1.1.secret; _fbp=fb.1.secret']);
        $page = $site->cached($path);
        $check(!$page->has('secret'), 'strangers see the cookie');
        $check($site->get($path, ['Cookie: _ga=GA1.1.other'])->render() === $page->render(), 'they get no cached page');
    },
    'a header Authorization' => static function (Site $site) use ($leak): void {
        $leak($site, $site->post('shows-authorization')[1], ['Authorization: Bearer forty-two'], 'forty-two');
    },
    'a header by which a proxy says who it is' => static function (Site $site) use ($leak): void {
        $leak($site, $site->post('shows-x-forwarded-email')[1], ['X-Forwarded-Email: ada@example.org'], 'ada@example.org');
    },
    'a preview of a draft' => static function (Site $site) use ($login, $check): void {
        $id = $site->call('wp_insert_post', ['post_title' => 'Draft', 'post_content' => 'not ready', 'post_status' => 'draft', 'post_author' => 1]);
        $path = "/?p=$id&preview=true";
        for ($visit = 0; $visit < 3; ++$visit) {
            $check($site->get($path, ['X-Member: 1'])->has('not ready'), 'the author does not see it');
        }
        $check(!$site->get($path)->has('not ready'), 'strangers see it');
    },
    'a comment that waits, for its author' => static function (Site $site) use ($comment, $check): void {
        [$id, $path] = $site->post('waiting');
        $waiting = $comment($site, $id, 'please approve me', 0);
        $hash = $site->call('wp_hash', $site->call('get_comment', $waiting)['comment_date_gmt']);
        $private = "$path?unapproved=$waiting&moderation-hash=$hash";
        for ($visit = 0; $visit < 3; ++$visit) {
            $check($site->get($private)->has('please approve me'), 'its author does not see it');
        }
        $check(!$site->cached($path)->has('please approve me'), 'strangers see it');
        $site->call('wp_delete_comment', $waiting, true);
        $check(!$site->get($private)->has('please approve me'), 'it is there after it was deleted');
    },

    // ---- Responses for one visitor ----
    'a response with Set-Cookie' => static function (Site $site) use ($check): void {
        $path = $site->post('sets-cookie')[1];
        $cookies = [];
        for ($visit = 0; $visit < 4; ++$visit) {
            $cookies[] = $site->get($path)->header('set-cookie');
        }
        $check(count(array_unique($cookies)) === 4 && !in_array('', $cookies, true), 'visitors share a session, or get none');
    },
    'a page that starts a session' => static fn(Site $site) => $never($site, $site->post('starts-session')[1]),
    'Cache-Control: private' => static fn(Site $site) => $never($site, $site->post('says-private')[1]),
    'Cache-Control: no-store' => static fn(Site $site) => $never($site, $site->post('says-no-store')[1]),
    'nocache_headers()' => static fn(Site $site) => $never($site, $site->post('says-nocache')[1]),
    'Cache-Control: max-age=0' => static fn(Site $site) => $never($site, $site->post('says-max-age')[1]),
    'Expires, and it has' => static fn(Site $site) => $never($site, $site->post('says-expires')[1]),
    'DONOTCACHEPAGE' => static fn(Site $site) => $never($site, $site->post('says-donotcachepage')[1]),
    'Vary: Accept-Language' => static function (Site $site) use ($check): void {
        $path = $site->post('varies')[1];
        for ($visit = 0; $visit < 3; ++$visit) {
            $check($site->get($path, ['Accept-Language: de'])->has('Guten Tag'), 'a German visitor gets the English page');
            $check($site->get($path, ['Accept-Language: en'])->has('Good day'), 'an English visitor gets the German page');
        }
    },
    'a page that asks for the device' => static function (Site $site) use ($check): void {
        $path = $site->post('asks-device')[1];
        $phone = 'User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148';
        $large = 'User-Agent: Mozilla/5.0 (X11; Linux x86_64)';
        for ($visit = 0; $visit < 3; ++$visit) {
            $check($site->get($path, [$phone])->has('small screen'), 'a phone gets the page of a computer');
            $check($site->get($path, [$large])->has('large screen'), 'a computer gets the page of a phone');
        }
    },

    // ---- Broken pages ----
    'an error 500' => static fn(Site $site) => (static function () use ($site, $check): void {
        $path = $site->post('fails-500')[1];
        $site->call('update_option', 'suite_broken', 'yes');
        $site->get($path);
        $check($site->get($path)->status === 500, 'its status is not kept');
        $site->call('update_option', 'suite_broken', 'no');
        usleep(1_100_000);
        $check($site->get($path)->status === 200, 'it stays');
    })(),
    'maintenance (503)' => static fn(Site $site) => $recovers($site, $site->post('maintains-503')[1]),
    'wp_die() with status 200' => static fn(Site $site) => $recovers($site, $site->post('refuses-200')[1]),
    'a page that exit cuts off' => static fn(Site $site) => (static function () use ($site, $check): void {
        $path = $site->post('dies-in-the-middle')[1];
        $site->call('update_option', 'suite_broken', 'yes');
        $check(!$site->get($path)->has('cart: ['), 'it is whole');
        $site->call('update_option', 'suite_broken', 'no');
        $check($site->get($path)->has('cart: ['), 'visitors get the half');
    })(),
    'a page that a fatal error cuts off' => static fn(Site $site) => $recovers($site, $site->post('fatal-in-the-middle')[1]),
    'a file larger than the memory' => static function (Site $site) use ($check): void {
        $bytes = strlen($site->get($site->post('sends-a-file')[1])->body);
        $check($bytes === 100 << 20, "it is cut off after $bytes bytes");
    },
    'an old page whose rendering fails' => static function (Site $site) use ($check): void {
        $path = $site->post('fails-when-old')[1];
        $page = $site->cached($path);
        $site->call('set_transient', 'suite_fails', 'yes');
        sleep(2);
        $site->get($path); // one visitor may see the error
        $check($site->get($path)->render() === $page->render(), 'others do not get the old page');
        $site->call('delete_transient', 'suite_fails');
        for ($second = 0; $second < 10 && in_array($site->get($path)->render(), ['', $page->render()], true); ++$second) {
            sleep(1);
        }
        $check($second < 10, 'the old page stays');
    },

    // ---- What a stranger can send ----
    'POST' => static function (Site $site) use ($check): void {
        $path = $site->post('posted')[1];
        $one = $site->get($path, method: 'POST', body: 'a=1');
        $page = $site->cached($path);
        $check($page->render() !== $one->render(), 'a GET gets the response to a POST');
        $check($site->get($path, method: 'POST', body: 'a=1')->render() !== $page->render(), 'a POST gets a cached page');
    },
    'GET with a body' => static function (Site $site) use ($check): void {
        $path = $site->post('with-body')[1];
        $one = $site->get($path, body: 'a=1');
        $check($site->cached($path)->render() !== $one->render(), 'others get the page');
    },
    'HEAD before GET' => static function (Site $site) use ($check): void {
        $path = $site->post('head-first')[1];
        $site->get($path, method: 'HEAD');
        $site->get($path, method: 'HEAD');
        $check($site->get($path)->has('</html>'), 'GET gets an empty page');
        $page = $site->cached($path);
        $head = $site->get($path, method: 'HEAD');
        $check($head->body === '' && $head->header('content-type') === $page->header('content-type'), 'HEAD has other headers');
        $check($head->header('etag') === $page->header('etag') && $page->header('etag') !== '', 'HEAD has no ETag');
    },
    'a range' => static function (Site $site) use ($check): void {
        $path = $site->post('sends-ranges')[1];
        $part = $site->get($path, ['Range: bytes=0-3']);
        $check($part->status === 206 && $part->body === 'part', 'no range is sent');
        $check($site->get($path)->has('</html>'), 'GET gets a part');
        $check($site->get($path, ['Range: bytes=0-3'])->status !== 200 || $site->cached($path)->has('</html>'), 'the range is lost');
    },
    'a redirect by Host' => static function (Site $site) use ($check): void {
        $path = $site->post('redirects-by-host')[1];
        $site->get($path, ['Host: old.example']);
        $check(in_array($site->get($path, ['Host: old.example'])->status, [301, 302], true), 'there is no redirect');
        $answer = $site->get($path);
        $check($answer->status === 200 && $answer->has('</html>'), 'everybody is redirected, or gets an empty page');
    },
    'a redirect by X-Forwarded-Proto' => static function (Site $site) use ($check): void {
        $path = $site->post('redirects-by-proto')[1];
        $site->get($path, ['X-Forwarded-Proto: http']);
        $check($site->get($path, ['X-Forwarded-Proto: http'])->status === 301, 'there is no redirect');
        $answer = $site->get($path, ['X-Forwarded-Proto: https']);
        $check($answer->status === 200 && $answer->has('</html>'), 'https is redirected, or gets an empty page');
    },
    'a redirect by CF-Visitor' => static function (Site $site) use ($check): void {
        $path = $site->post('redirects-by-visitor')[1];
        $secure = ['CF-Visitor: {"scheme":"https"}'];
        $site->get($path, ['CF-Visitor: {"scheme":"http"}']);
        $check($site->get($path, ['CF-Visitor: {"scheme":"http"}'])->status === 301, 'there is no redirect');
        $answer = $site->get($path, $secure);
        $check($answer->status === 200 && $answer->has('</html>'), 'https is redirected, or gets an empty page');
        $check(!$site->isRendered($path, ...$secure), 'it is not cached');
    },
    'what scripts ask for' => static function (Site $site) use ($check): void {
        $path = $site->post('answers-scripts')[1];
        $page = $site->cached($path);
        for ($visit = 0; $visit < 3; ++$visit) {
            $data = $site->get($path, ['Accept: application/json']);
            $check($data->body === '{"kind": "data"}', 'a script gets the page instead of data');
            $typed = $site->get($path, ['Content-Type: application/json']);
            $check($typed->body === '{"kind": "data"}', 'a script that says its type gets the page instead of data');
            $part = $site->get($path, ['X-Requested-With: XMLHttpRequest']);
            $check($part->body === 'a part of the page', 'a script gets the page instead of a part');
            $other = $site->get($path, ['Origin: https://a.example']);
            $check($other->header('access-control-allow-origin') === 'https://a.example', 'another site gets no permission');
        }
        $check($site->get($path)->render() === $page->render(), 'the visits have changed what strangers get');
    },
    'a strange Host' => static function (Site $site) use ($check): void {
        $path = $site->post('shows-host')[1];
        $site->get($path, ['Host: evil.example']);
        $site->get($path, ['Host: evil.example']);
        $check(!$site->get($path)->has('evil.example'), 'others see it');
        $first = $site->get($path, ['Host: evil.example']);
        $check($first->render() !== $site->get($path, ['Host: evil.example'])->render(), 'it is stored: any name takes room');
    },
    'a strange X-Forwarded-Host' => static fn(Site $site)
        => $leak($site, $site->post('shows-x-forwarded-host')[1], ['X-Forwarded-Host: evil.example'], 'evil.example'),
    'a strange X-Forwarded-Proto' => static function (Site $site) use ($check): void {
        $path = $site->post('shows-x-forwarded-proto')[1];
        $site->get($path, ['X-Forwarded-Proto: evil']);
        $site->get($path, ['X-Forwarded-Proto: evil']);
        $check(!$site->get($path)->has('[evil]'), 'others see it');
    },
    'a strange X-Original-URL' => static function (Site $site) use ($check): void {
        $path = $site->post('shows-x-original-url')[1];
        $site->get($path, ['X-Original-URL: /evil']);
        $site->get($path, ['X-Original-URL: /evil']);
        $check(!$site->get($path)->has('[/evil]'), 'others see it');
    },
    'a strange Connection' => static function (Site $site) use ($check): void {
        $path = $site->post('shows-connection')[1];
        $site->get($path, ['Connection: evil']);
        $site->get($path, ['Connection: evil']);
        $check(!$site->get($path)->has('[evil]'), 'others see it');
    },
    'a referer' => static function (Site $site) use ($check): void {
        $path = $site->post('shows-referer')[1];
        $site->get($path, ['Referer: https://evil.example/']);
        $check(!$site->get($path)->has('evil.example'), 'others see it');
    },
    'a language without Vary' => static function (Site $site) use ($check): void {
        $path = $site->post('shows-accept-language')[1];
        $site->get($path, ['Accept-Language: tlh']);
        $check(!$site->get($path)->has('[tlh]'), 'others see it');
    },
    'a country that the web server knows' => static function (Site $site) use ($check): void {
        $path = $site->post('asks-country')[1];
        $site->get($path, ['X-Suite-Country: Ruritania']);
        $check(!$site->get($path)->has('Ruritania'), 'others see it');
    },
    'a browser' => static function (Site $site) use ($check): void {
        $path = $site->post('shows-user-agent')[1];
        $site->get($path, ['User-Agent: evil/1.0']);
        $check(!$site->get($path)->has('[evil/1.0]'), 'others see it');
    },
    'marks of campaigns share the page, and are not in it' => static function (Site $site) use ($check): void {
        $path = $site->post('shows-query')[1];
        $site->get("$path?utm_source=evil&fbclid=evil");
        $page = $site->cached($path);
        $check(!$page->has('evil'), 'others see the mark');
        $check($site->get("$path?gclid=other&utm_campaign=x")->render() === $page->render(), 'they get no cached page');
    },
    'marks of campaigns for which a page asks PHP' => static function (Site $site) use ($check): void {
        [$id, $path] = $site->post('asks-php');
        $site->cached($path);
        $site->call('wp_update_post', ['ID' => $id, 'post_content' => 'changed']);
        $site->get("$path?utm_source=evil");
        $check(!$site->get($path)->has('evil'), 'others see the mark');
    },
    'other parameters' => static function (Site $site) use ($check): void {
        $path = $site->post('shows-query_b')[1];
        $page = $site->cached($path);
        $check($site->get("$path?colour=vermilion")->has('vermilion'), 'a parameter is lost');
        $check(!$site->get($path)->has('vermilion'), 'others see it');
        $check($site->get("$path?colour=red")->render() !== $site->get("$path?colour=red")->render(), 'it is stored: any value takes room');
    },
    'many paths of one page' => static function (Site $site) use ($check): void {
        $path = $site->post('manypathsofonepage')[1];
        $paths = [];
        for ($number = 1; $number <= 40; ++$number) {
            $name = str_split(trim($path, '/'));
            foreach ($name as $place => $letter) {
                $name[$place] = $number >> $place & 1 ? strtoupper($letter) : $letter;
            }
            $paths[] = '/' . implode('', $name) . '/';
        }
        $renders = [];
        foreach ([1, 2, 3] as $lap) {
            foreach ($paths as $one) {
                $renders[$lap][$one] = $site->get($one)->render();
            }
        }
        $stored = count(array_intersect_assoc($renders[2], $renders[3]));
        $check($stored <= 20, "$stored of 40 paths are stored");
        $site->cached($path);
    },
    'many names of one feed' => static function (Site $site) use ($check): void {
        foreach (['_rss2', '__rss2'] as $name) {
            $check($site->get("/?feed=$name")->has('</rss>'), "$name is no feed");
            $check($site->isRendered("/?feed=$name"), 'it is stored: any name takes room');
        }
    },
    'a search' => static function (Site $site) use ($check): void {
        $site->post('sought', 'zucchini');
        $check($site->isRendered('/?s=zucchini'), 'it is cached');
        $check($site->isRendered('/search/zucchini/'), 'it is cached by its path');
    },
    'what is missing' => static function (Site $site) use ($check): void {
        $site->get('/not-yet/');
        $check($site->get('/not-yet/')->status === 404, 'its status is not kept');
        $check($site->isRendered('/not-yet-' . random_int(1, PHP_INT_MAX) . '/'), 'any path takes room');
        $site->post('not-yet');
        $check($site->get('/not-yet/')->status === 200, 'it is still missing after it was published');
    },
    'the REST API' => static function (Site $site) use ($check): void {
        [$id] = $site->post('rest', 'before');
        $path = "/wp-json/wp/v2/posts/$id";
        for ($visit = 0; $visit < 3; ++$visit) {
            $check($site->get($path)->has('before'), 'there is no answer');
        }
        $check(str_contains($site->get($path)->header('content-type'), 'json'), 'it is no JSON');
        $site->call('wp_update_post', ['ID' => $id, 'post_content' => 'after']);
        $check($site->get($path)->has('after'), 'it is old');
    },

    // ---- What visitors get of a stored page ----
    'what browsers send' => static function (Site $site) use ($check): void {
        $path = $site->post('opened-by-a-browser')[1];
        $page = $site->cached($path);
        $browser = [
            'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
            'sec-ch-ua: "Chromium";v="140", "Google Chrome";v="140"', 'sec-ch-ua-mobile: ?0', 'sec-ch-ua-platform: "Linux"',
            'Upgrade-Insecure-Requests: 1', 'Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-User: ?1',
            'Sec-Fetch-Dest: document', 'Accept-Language: en-GB,en;q=0.9',
            'DNT: 1', 'Priority: u=0, i', 'Cache-Control: max-age=0',
        ];
        $check($site->get($path, $browser)->render() === $page->render(), 'a browser gets no cached page');
    },
    'its headers' => static function (Site $site) use ($check): void {
        $path = $site->post('has-headers')[1];
        $site->cached($path);
        $page = $site->get($path);
        $check($page->header('x-suite') === 'kept', 'X-Suite is lost');
        $check(in_array($page->header('x-before'), ['', 'once'], true), 'X-Before is there twice');
        $check(str_contains($page->header('link'), 'rel=one') && str_contains($page->header('link'), 'rel=two'), 'a Link is lost');
    },
    'the type of a feed' => static function (Site $site) use ($check): void {
        $site->cached('/feed/');
        $check(str_contains($site->get('/feed/')->header('content-type'), 'rss+xml'), 'it is ' . $site->get('/feed/')->header('content-type'));
    },
    'ETag and 304' => static function (Site $site) use ($check): void {
        $path = $site->post('tagged')[1];
        $page = $site->cached($path);
        $tag = $page->header('etag');
        $check($tag !== '', 'it has no ETag');
        $again = $site->get($path, ["If-None-Match: $tag"]);
        $check($again->status === 304 && $again->body === '' && $again->header('etag') === $tag, 'there is no 304');
        $check($site->get($path, ["If-None-Match: \"a\", $tag"])->status === 304, 'a list of tags is not understood');
        $check($site->get($path, ['If-None-Match: "other"'])->status === 200, 'another tag gets 304');
    },
    'a 304 for one is no empty page for others' => static function (Site $site) use ($check): void {
        $site->post('newest');
        $site->get('/feed/', ['If-Modified-Since: ' . gmdate('D, d M Y H:i:s', time() + 1000) . ' GMT']);
        $answer = $site->get('/feed/');
        $check($answer->status === 200 && $answer->has('</rss>') && $answer->has('newest'), 'others get nothing, or an old feed');
    },
    'the 304 ends with the page' => static function (Site $site) use ($check): void {
        [$id, $path] = $site->post('tag-ends');
        $tag = $site->cached($path)->header('etag');
        $site->call('wp_update_post', ['ID' => $id, 'post_content' => 'changed']);
        $answer = $site->get($path, ["If-None-Match: $tag"]);
        $check($answer->status === 200 && $answer->has('changed'), 'an old page is confirmed');
    },

    // ---- Changes ----
    'a post is edited' => static function (Site $site) use ($change): void {
        [$id, $path] = $site->post('edited', 'before');
        $change($site, $path, static fn() => $site->call('wp_update_post', ['ID' => $id, 'post_content' => 'afterwards']), 'afterwards', '<p>before');
    },
    'a post is published: home' => static function (Site $site) use ($change): void {
        $change($site, '/', static fn() => $site->post('published-home'), 'Title of published-home');
    },
    'a post is published: its category' => static function (Site $site) use ($change, $term): void {
        $id = $term($site, 'jams');
        $site->post('old-jam', fields: ['post_category' => [$id]]);
        $change($site, '/category/jams/', static fn() => $site->post('new-jam', fields: ['post_category' => [$id]]), 'Title of new-jam');
    },
    'a post is published: the category above' => static function (Site $site) use ($change, $term): void {
        $above = $term($site, 'food');
        $id = (int) $site->call('wp_insert_term', 'pickles', 'category', ['parent' => $above])['term_id'];
        $site->post('old-pickle', fields: ['post_category' => [$id]]);
        $change($site, '/category/food/', static fn() => $site->post('new-pickle', fields: ['post_category' => [$id]]), 'Title of new-pickle');
    },
    'a post is published: its tag' => static function (Site $site) use ($change): void {
        $site->post('old-tagged', fields: ['tags_input' => ['sour']]);
        $change($site, '/tag/sour/', static fn() => $site->post('new-tagged', fields: ['tags_input' => ['sour']]), 'Title of new-tagged');
    },
    'a post is published: its author' => static function (Site $site) use ($change): void {
        $site->post('old-authored');
        $change($site, '/author/admin/', static fn() => $site->post('new-authored'), 'Title of new-authored');
    },
    'a post is published: its month' => static function (Site $site) use ($change): void {
        $site->post('old-month', fields: ['post_date' => '2019-03-01 12:00:00']);
        $change($site, '/2019/03/', static fn() => $site->post('new-month', fields: ['post_date' => '2019-03-02 12:00:00']), 'Title of new-month');
    },
    'a post is published: the feed' => static function (Site $site) use ($change): void {
        $change($site, '/feed/', static fn() => $site->post('published-feed'), 'Title of published-feed');
    },
    'a post is published: the sitemap' => static function (Site $site) use ($check): void {
        $path = '/wp-sitemap-posts-post-1.xml';
        for ($visit = 0; $visit < 3; ++$visit) {
            $check($site->get($path)->has('</urlset>'), 'there is no sitemap');
        }
        $site->post('published-sitemap');
        $check($site->get($path)->has('published-sitemap'), 'it is old');
    },
    'a post is published: the post before links to it' => static function (Site $site) use ($change): void {
        $path = $site->post('neighbour')[1];
        $change($site, $path, static fn() => $site->post('neighbour-next'), 'neighbour-next');
    },
    'a post moves to another category' => static function (Site $site) use ($change, $check, $term): void {
        $from = $term($site, 'from');
        $to = $term($site, 'to');
        [$id] = $site->post('mover', fields: ['post_category' => [$from]]);
        $site->post('stayer', fields: ['post_category' => [$to]]);
        $site->cached('/category/from/');
        $change($site, '/category/to/', static fn() => $site->call('wp_set_post_categories', $id, [$to]), 'Title of mover');
        $check(!$site->get('/category/from/')->has('Title of mover'), 'the old category shows it');
    },
    'a post goes to the trash' => static function (Site $site) use ($check): void {
        [$id, $path] = $site->post('trashed');
        $site->cached($path);
        $site->cached('/');
        $site->call('wp_trash_post', $id);
        $check($site->get($path)->status === 404, 'it is there');
        $check(!$site->get('/')->has('Title of trashed'), 'home shows it');
    },
    'a post is deleted forever' => static function (Site $site) use ($check, $term): void {
        $category = $term($site, 'doomed');
        $site->post('survivor', fields: ['post_category' => [$category]]);
        [$id, $path] = $site->post('deleted', fields: ['post_category' => [$category]]);
        $site->cached($path);
        $site->cached('/category/doomed/');
        $site->call('wp_delete_post', $id, true);
        $check($site->get($path)->status === 404, 'it is there');
        $check(!$site->get('/category/doomed/')->has('Title of deleted'), 'its category shows it');
    },
    'a post becomes private' => static function (Site $site) use ($check): void {
        [$id, $path] = $site->post('privately', 'for my eyes');
        $site->cached($path);
        $site->call('wp_update_post', ['ID' => $id, 'post_status' => 'private']);
        $check(!$site->get($path)->has('for my eyes'), 'strangers see it');
    },
    'a post gets a password' => static function (Site $site) use ($check): void {
        [$id, $path] = $site->post('locked', 'for few eyes');
        $site->cached($path);
        $site->call('wp_update_post', ['ID' => $id, 'post_password' => 'sesame']);
        $check(!$site->get($path)->has('for few eyes'), 'strangers see it');
    },
    'a post gets another address' => static function (Site $site) use ($check): void {
        [$id, $path] = $site->post('old-address');
        $site->cached($path);
        $site->call('wp_update_post', ['ID' => $id, 'post_name' => 'new-address']);
        $check($site->get($path)->status === 301, 'the old address does not redirect');
    },
    'a post gets another author' => static function (Site $site) use ($check): void {
        $other = $site->call('wp_create_user', 'writer', 'secret', 'writer@example.org');
        [$id] = $site->post('handed-over', fields: ['post_author' => $other]);
        $site->post('kept', fields: ['post_author' => $other]);
        $site->cached('/author/writer/');
        $site->call('wp_update_post', ['ID' => $id, 'post_author' => 1]);
        $check(!$site->get('/author/writer/')->has('Title of handed-over'), 'the old author has it');
    },
    'a field of a post changes' => static function (Site $site) use ($check): void {
        [$id, $path] = $site->post('priced');
        $page = $site->cached($path);
        $site->call('update_post_meta', $id, 'price', '12');
        $check($site->get($path)->render() !== $page->render(), 'the page is old');
    },
    'a counter of visits changes' => static function (Site $site) use ($check): void {
        [$id, $path] = $site->post('counted');
        $page = $site->cached($path);
        $answer = $site->get('/wp-admin/admin-ajax.php', method: 'POST', body: "action=suite_counts&post=$id");
        $check($answer->body === 'counted', 'nothing was counted');
        $check($site->get($path)->render() === $page->render(), 'any visitor can purge the page');
        $site->call('update_post_meta', $id, 'price', '12');
        $check($site->get($path)->render() !== $page->render(), 'the page is old after a change of another field');
    },
    'a picture gets another text' => static function (Site $site) use ($change): void {
        [$id, $path] = $site->post('pictured');
        $picture = $site->call('wp_insert_attachment', ['post_mime_type' => 'image/png', 'post_title' => 'Picture', 'post_status' => 'inherit'], '2020/jar.png');
        $site->call('wp_update_attachment_metadata', $picture, ['width' => 40, 'height' => 30, 'file' => '2020/jar.png']);
        $site->call('update_post_meta', $picture, '_wp_attachment_image_alt', 'a green jar');
        $site->call('set_post_thumbnail', $id, $picture);
        $change($site, $path, static fn() => $site->call('update_post_meta', $picture, '_wp_attachment_image_alt', 'a red jar'), 'a red jar', 'a green jar');
    },
    'a field of a category changes' => static function (Site $site) use ($check, $term): void {
        $id = $term($site, 'striped');
        $site->post('of-striped', fields: ['post_category' => [$id]]);
        $page = $site->cached('/category/striped/');
        $site->call('update_term_meta', $id, 'colour', 'red');
        $check($site->get('/category/striped/')->render() !== $page->render(), 'the page is old');
    },
    'a field of a comment changes' => static function (Site $site) use ($check, $comment): void {
        [$id, $path] = $site->post('rated');
        $number = $comment($site, $id, 'a good jar');
        $page = $site->cached($path);
        $site->call('update_comment_meta', $number, 'rating', '5');
        $check($site->get($path)->render() !== $page->render(), 'the page is old');
    },
    'a comment is approved' => static function (Site $site) use ($change, $comment): void {
        [$id, $path] = $site->post('approved');
        $waiting = $comment($site, $id, 'at last', 0);
        $change($site, $path, static fn() => $site->call('wp_set_comment_status', $waiting, 'approve'), 'at last');
    },
    'a comment is edited' => static function (Site $site) use ($change, $comment): void {
        [$id, $path] = $site->post('comment-edited');
        $number = $comment($site, $id, 'rude words');
        $change($site, $path, static fn() => $site->call('wp_update_comment', ['comment_ID' => $number, 'comment_content' => 'kind words']), 'kind words', 'rude words');
    },
    'a comment is deleted' => static function (Site $site) use ($change, $comment): void {
        [$id, $path] = $site->post('comment-deleted');
        $number = $comment($site, $id, 'out of place');
        $change($site, $path, static fn() => $site->call('wp_delete_comment', $number, true), '', 'out of place');
    },
    'a visitor comments' => static function (Site $site) use ($change, $check): void {
        $site->call('update_option', 'comment_previously_approved', '0');
        $site->call('update_option', 'comment_moderation', '0');
        [$id, $path] = $site->post('commented');
        $change($site, $path, static function () use ($site, $id, $check): void {
            $fields = ['comment' => 'well said', 'author' => 'Cy', 'email' => 'cy@example.org', 'comment_post_ID' => $id];
            $check($site->get('/wp-comments-post.php', method: 'POST', body: http_build_query($fields))->status === 302, 'the comment is refused');
        }, 'well said');
    },
    'a comment: the feed of comments' => static function (Site $site) use ($change, $comment): void {
        [$id] = $site->post('comment-feed');
        $comment($site, $id, 'the first word');
        $change($site, '/comments/feed/', static fn() => $comment($site, $id, 'the last word'), 'the last word');
    },
    'a comment: the feed of the post' => static function (Site $site) use ($change, $comment): void {
        [$id, $path] = $site->post('comments-fed');
        $comment($site, $id, 'the first jar');
        $change($site, "{$path}feed/", static fn() => $comment($site, $id, 'the last jar'), 'the last jar');
    },
    'a term gets another name' => static function (Site $site) use ($change, $term): void {
        $id = $term($site, 'Oldname');
        $path = $site->post('of-term', fields: ['post_category' => [$id]])[1];
        $change($site, $path, static fn() => $site->call('wp_update_term', $id, 'category', ['name' => 'Newname']), 'Newname', 'Oldname');
    },
    'an author gets another name' => static function (Site $site) use ($change): void {
        $id = $site->call('wp_create_user', 'renamed', 'secret', 'renamed@example.org');
        $path = $site->post('of-author', fields: ['post_author' => $id])[1];
        $change($site, $path, static fn() => $site->call('wp_update_user', ['ID' => $id, 'display_name' => 'Grace H']), 'Grace H');
    },
    'the name of the site changes' => static function (Site $site) use ($change): void {
        $name = 'Name ' . random_int(1, PHP_INT_MAX);
        $change($site, $site->post('site-name')[1], static fn() => $site->call('update_option', 'blogname', $name), $name);
    },
    'the site hides from search engines' => static function (Site $site) use ($change): void {
        $hide = static fn() => $site->call('update_option', 'blog_public', '0');
        $change($site, $site->post('to-be-hidden')[1], $hide, "content='noindex");
        $site->call('update_option', 'blog_public', '1');
    },
    'an option of a plugin changes' => static function (Site $site) use ($check): void {
        $path = $site->post('plugin-option')[1];
        $page = $site->cached($path);
        $site->call('update_option', 'standin_banner', 'sale ' . random_int(1, PHP_INT_MAX));
        $check($site->get($path)->render() !== $page->render(), 'the page is old');
    },
    'a menu changes' => static function (Site $site) use ($check): void {
        $path = $site->post('with-menu')[1];
        $page = $site->cached($path);
        $menu = $site->call('wp_create_nav_menu', 'Menu ' . random_int(1, PHP_INT_MAX));
        $site->call('wp_update_nav_menu_item', $menu, 0, ['menu-item-title' => 'Jars', 'menu-item-url' => '/', 'menu-item-status' => 'publish']);
        $check($site->get($path)->render() !== $page->render(), 'the page is old');
    },
    'a widget changes' => static function (Site $site) use ($check): void {
        $path = $site->post('with-widget')[1];
        $page = $site->cached($path);
        $site->call('update_option', 'widget_text', [2 => ['text' => 'Widget ' . random_int(1, PHP_INT_MAX)]]);
        $check($site->get($path)->render() !== $page->render(), 'the page is old');
    },
    'a part of the theme changes' => static function (Site $site) use ($check): void {
        $path = $site->post('with-template')[1];
        $page = $site->cached($path);
        $site->call('wp_insert_post', ['post_type' => 'wp_template_part', 'post_status' => 'publish', 'post_title' => 'Footer', 'post_name' => 'suite-footer', 'post_content' => 'x']);
        $check($site->get($path)->render() !== $page->render(), 'the page is old');
    },
    'the theme changes' => static function (Site $site) use ($check): void {
        $path = $site->post('with-theme')[1];
        $page = $site->cached($path);
        $site->call('set_theme_mod', 'suite', random_int(1, PHP_INT_MAX));
        $check($site->get($path)->render() !== $page->render(), 'the page is old');
    },
    'a plugin is activated' => static function (Site $site) use ($check): void {
        $path = $site->post('with-plugin')[1];
        $page = $site->cached($path);
        $site->call('activate_plugin', 'suite-empty.php');
        $check($site->get($path)->render() !== $page->render(), 'the page is old');
        $site->call('deactivate_plugins', 'suite-empty.php');
    },
    'cron publishes a post' => static function (Site $site) use ($check): void {
        [$id] = $site->post('by-cron', fields: ['post_status' => 'draft']);
        $check(!$site->cached('/')->has('Title of by-cron'), 'it is there too early');
        $site->call('wp_schedule_single_event', time() - 5, 'suite_publishes', [$id]);
        $site->get('/wp-cron.php');
        for ($try = 0; $try < 100 && $site->call('get_post_status', $id) !== 'publish'; ++$try) {
            usleep(100_000);
        }
        $check($site->get('/')->has('Title of by-cron'), 'home is old');
    },
    'a post is edited from the shell' => static function (Site $site) use ($change): void {
        [$id, $path] = $site->post('from-shell', 'before');
        $change($site, $path, static fn() => $site->shell('wp_update_post', ['ID' => $id, 'post_content' => 'by the shell']), 'by the shell');
    },
    'a change of one post leaves others' => static function (Site $site) use ($check, $comment): void {
        [$one, $first] = $site->post('leaves-one');
        [, $second] = $site->post('leaves-two');
        $page = $site->cached($second);
        $site->cached($first);
        $comment($site, $one, 'only here');
        $check($site->get($first)->has('only here'), 'the changed page is old');
        $site->call('update_post_meta', $one, 'price', '13');
        $check($site->get('/feed/')->status === 200, 'there is no feed');
    },

    // ---- Many visitors ----
    'a change while a page is rendered' => static function (Site $site) use ($check): void {
        [$id, $path] = $site->post('slow-change', 'old words');
        $change = ['/?suite=slow' . random_int(1, PHP_INT_MAX), ['X-Suite-Key: ' . getenv('SUITE_KEY')], 'POST',
            json_encode(['apply_filters', ['suite_later', null, ['ID' => $id, 'post_content' => '<p>new words</p>']]])];
        $site->together([[$path, [], 'GET', null], $change]);
        $check($site->get($path)->has('new words'), 'the page of before the change was stored after it');
    },
    'six visitors at once: one rendering' => static function (Site $site) use ($check): void {
        $path = $site->post('slow-many')[1];
        $answers = $site->together(array_fill(0, 6, [$path, [], 'GET', null]));
        $renders = array_unique(array_map(static fn(Answer $answer): string => $answer->render(), $answers));
        $check(!in_array('', $renders, true), 'somebody got nothing');
        $check(count($renders) === 1, count($renders) . ' renderings: ' . implode('; ', array_map(static fn(Answer $answer): string => $answer->header('cache-status'), $answers)));
    },
    'six visitors of an old page: one rendering, and nobody else waits' => static function (Site $site) use ($check): void {
        $path = $site->post('slow-and-old')[1];
        $page = $site->cached($path);
        sleep(2);
        $answers = $site->together(array_fill(0, 6, [$path, [], 'GET', null]));
        $old = array_filter($answers, static fn(Answer $answer): bool => $answer->render() === $page->render());
        $check(count($old) === 5, count($old) . ' of 6 get the old page');
    },
    'its renderer dies' => static function (Site $site) use ($check): void {
        $path = $site->post('killed')[1];
        $site->call('update_option', 'suite_broken', 'yes');
        $site->together([[$path, [], 'GET', null]]);
        $site->call('update_option', 'suite_broken', 'no');
        $start = microtime(true);
        $answers = $site->together(array_fill(0, 5, [$path, [], 'GET', null]));
        $renders = array_unique(array_map(static fn(Answer $answer): string => $answer->render(), $answers));
        $check(!in_array('', $renders, true), 'somebody got nothing');
        $check(microtime(true) - $start < 5.0, 'they waited for a dead process');
        $check(count($renders) === 1, count($renders) . ' renderings: ' . implode('; ', array_map(static fn(Answer $answer): string => $answer->header('cache-status'), $answers)));
    },
];
