<?php

declare(strict_types=1);

namespace Larder\Lab\PageCache;

/** A WordPress with the plugin stand-in.php, and visitors of it. */
final class Site
{
    private int $calls = 0;

    /**
     * @param string $url "http://127.0.0.1:8080", without a path
     * @param string $shell command that calls a function of the site from the shell, as call(): JSON by its input; '': none
     */
    public function __construct(
        public readonly string $url,
        private readonly string $key,
        private readonly string $shell = '',
    ) {}

    public function host(): string
    {
        return substr($this->url, (int) strpos($this->url, '//') + 2);
    }

    /**
     * @param list<string> $headers lines
     */
    public function get(string $path, array $headers = [], string $method = 'GET', ?string $body = null): Answer
    {
        $answer = $this->together([[$path, $headers, $method, $body]])[0];
        // As a browser, asks once more if it is sent to the same URL; other redirects are what a case is about.
        $isSame = $answer->status === 307 && $answer->header('location') === $path;

        return $isSame ? $this->together([[$path, $headers, $method, $body]])[0] : $answer;
    }

    /**
     * Sends requests at once.
     *
     * @param list<array{string, list<string>, string, string|null}> $requests
     * @return list<Answer>
     */
    public function together(array $requests): array
    {
        $all = curl_multi_init();
        $answers = [];
        $handles = [];
        foreach ($requests as $number => [$path, $headers, $method, $body]) {
            $answers[] = $answer = new Answer();
            $handles[] = $handle = curl_init($this->url . $path);
            curl_setopt_array($handle, [
                CURLOPT_CUSTOMREQUEST => $method, CURLOPT_NOBODY => $method === 'HEAD', CURLOPT_TIMEOUT => 30,
                CURLOPT_HTTPHEADER => ['Accept: text/html', 'Expect:', 'User-Agent: suite', ...$headers],
                CURLOPT_RETURNTRANSFER => true, CURLOPT_PATH_AS_IS => true,
                CURLOPT_HEADERFUNCTION => static function (mixed $handle, string $line) use ($answer): int {
                    $answer->addHeader($line);

                    return strlen($line);
                },
            ]);
            if ($body !== null) {
                curl_setopt($handle, CURLOPT_POSTFIELDS, $body);
            }
            curl_multi_add_handle($all, $handle);
        }
        do {
            curl_multi_exec($all, $running);
            $running === 0 || curl_multi_select($all, 1.0);
        } while ($running > 0);
        foreach ($handles as $number => $handle) {
            $answers[$number]->status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
            $answers[$number]->body = (string) curl_multi_getcontent($handle);
            curl_multi_remove_handle($all, $handle);
        }

        return $answers;
    }

    /** Calls a function in the site, as an administrator in a request. */
    public function call(string $function, mixed ...$arguments): mixed
    {
        $path = '/?suite=' . getmypid() . '-' . ++$this->calls;
        $headers = ["X-Suite-Key: $this->key", 'Content-Type: application/json'];
        $answer = $this->get($path, $headers, 'POST', (string) json_encode([$function, $arguments]));
        if ($answer->status !== 200) {
            throw new \RuntimeException("$function() answered $answer->status: " . substr(strip_tags($answer->body), 0, 300));
        }

        return json_decode($answer->body, true);
    }

    /** The same in a process of its own, as a program in the shell does. */
    public function shell(string $function, mixed ...$arguments): mixed
    {
        if ($this->shell === '') {
            throw new Skipped('no --shell');
        }
        $pipes = [];
        $process = proc_open($this->shell, [['pipe', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes);
        if ($process === false) {
            throw new \RuntimeException("cannot start $this->shell");
        }
        fwrite($pipes[0], (string) json_encode([$function, $arguments]));
        fclose($pipes[0]);
        $said = (string) stream_get_contents($pipes[1]);
        $errors = (string) stream_get_contents($pipes[2]);
        if (proc_close($process) !== 0) {
            throw new \RuntimeException("$function() in the shell: $said $errors");
        }

        return json_decode($said, true);
    }

    /**
     * Publishes a post.
     *
     * @param array<string, mixed> $fields
     * @return array{int, string} its number and path
     */
    public function post(string $slug, string $text = 'Shelf', array $fields = []): array
    {
        $id = (int) $this->call('wp_insert_post', $fields + [
            'post_name' => $slug, 'post_title' => "Title of $slug", 'post_content' => "<p>$text</p>",
            'post_status' => 'publish', 'post_author' => 1,
        ]);

        return [$id, "/$slug/"];
    }

    /** Visits a page until it comes from the cache; a cache may wait for the second or third visit. */
    public function cached(string $path): Answer
    {
        $before = '';
        for ($visit = 0; $visit < 5; ++$visit) {
            $answer = $this->get($path);
            if ($answer->render() !== '' && $answer->render() === $before) {
                return $answer;
            }
            $before = $answer->render();
        }

        throw new Failed("$path is not cached (status $answer->status, " . implode(' ', $answer->headers['cache-status'] ?? []) . ')');
    }

    /** True if the page is rendered for each visit. */
    public function isRendered(string $path, string ...$headers): bool
    {
        $renders = [];
        for ($visit = 0; $visit < 4; ++$visit) {
            $renders[] = $this->get($path, array_values($headers))->render();
        }

        return count(array_unique($renders)) === 4;
    }
}

final class Answer
{
    public int $status = 0;
    public string $body = '';

    /** @var array<string, list<string>> by name in lower case */
    public array $headers = [];

    public function addHeader(string $line): void
    {
        if (str_contains($line, ':')) {
            [$name, $value] = explode(':', $line, 2);
            $this->headers[strtolower($name)][] = trim($value);
        }
    }

    public function has(string $text): bool
    {
        return str_contains($this->body, $text);
    }

    /** A number that differs each time WordPress renders the page. */
    public function render(): string
    {
        return preg_match('~render=(\w+)~', $this->body, $match) === 1 ? $match[1] : '';
    }

    public function header(string $name): string
    {
        return implode(', ', $this->headers[$name] ?? []);
    }
}

final class Failed extends \Exception {}

final class Skipped extends \Exception {}
