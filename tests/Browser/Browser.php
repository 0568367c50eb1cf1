<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Browser;

use Facebook\WebDriver\Chrome\ChromeDevToolsDriver;
use Facebook\WebDriver\Chrome\ChromeOptions;
use Facebook\WebDriver\Remote\DesiredCapabilities;
use Facebook\WebDriver\Remote\RemoteWebDriver;
use Facebook\WebDriver\WebDriverBy;
use Facebook\WebDriver\WebDriverKeys;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

/** Headless Chromium, controlled by its WebDriver, with its own profile and downloads. */
final class Browser
{
    public readonly string $directory;
    private readonly Process $server;
    private readonly RemoteWebDriver $driver;
    private readonly ChromeDevToolsDriver $tools;

    public function __construct()
    {
        $files = new Filesystem();
        $files->remove($this->directory = $files->tempnam(sys_get_temp_dir(), 'larder-browser-'));
        $files->mkdir([$this->directory . '/downloads', $this->directory . '/profile']);
        $this->server = new Process(['chromedriver', '--port=0'], null, ['HOME' => $this->directory]);
        $this->server->start();
        $this->server->waitUntil(static fn(string $type, string $text): bool => str_contains($text, 'started successfully'));
        if (preg_match('/started successfully on port (\d+)/', $this->server->getOutput(), $match) !== 1) {
            throw new \RuntimeException('chromedriver does not start: ' . $this->server->getOutput() . $this->server->getErrorOutput());
        }
        $options = new ChromeOptions();
        $options->addArguments([
            '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
            '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--force-device-scale-factor=1', '--lang=en',
            '--user-data-dir=' . $this->directory . '/profile',
        ]);
        $options->setExperimentalOption('prefs', ['download.default_directory' => $this->directory . '/downloads', 'profile.default_content_setting_values.automatic_downloads' => 1]);
        $wanted = DesiredCapabilities::chrome();
        $wanted->setCapability(ChromeOptions::CAPABILITY, $options);
        $wanted->setCapability('goog:loggingPrefs', ['browser' => 'ALL', 'performance' => 'ALL']);
        $this->driver = RemoteWebDriver::create("http://127.0.0.1:$match[1]", $wanted, 60_000, 120_000);
        $this->tools = new ChromeDevToolsDriver($this->driver);
    }

    public function close(): void
    {
        $this->driver->quit();
        $this->server->stop(10);
        (new Filesystem())->remove($this->directory);
    }

    /**
     * Opens a file, and waits until its script has run.
     *
     * @param 'light'|'dark' $scheme preferred color scheme of the system
     */
    public function open(string $file, string $fragment = '', int $width = 1280, string $scheme = 'light'): void
    {
        $this->tools->execute('Emulation.setDeviceMetricsOverride', ['width' => $width, 'height' => $width < 500 ? 780 : 900, 'deviceScaleFactor' => 1, 'mobile' => false]);
        $this->tools->execute('Emulation.setEmulatedMedia', ['features' => [['name' => 'prefers-color-scheme', 'value' => $scheme], ['name' => 'prefers-reduced-motion', 'value' => 'reduce']]]);
        $this->driver->get('about:blank');
        $this->messages(); // discards those of the last page
        $this->addresses();
        $this->driver->get('file://' . $file . $fragment);
        $this->waitFor('document.documentElement.dataset.ready === "true"');
    }

    /** Opens an address in the tab, and waits until it is loaded. */
    public function visit(string $address): void
    {
        $this->driver->get($address);
    }

    /** Opens a tab and switches to it. All tabs share cookies. */
    public function newTab(): string
    {
        $this->driver->switchTo()->newWindow();

        return $this->driver->getWindowHandle();
    }

    /** @param string $tab a tab from newTab() */
    public function goTo(string $tab): void
    {
        $this->driver->switchTo()->window($tab);
    }

    /** @param string $condition an expression of JavaScript */
    public function waitFor(string $condition): void
    {
        for ($end = microtime(true) + 60; microtime(true) < $end; usleep(20_000)) {
            if ($this->driver->executeScript("return Boolean($condition);") === true) {
                return;
            }
        }

        throw new \RuntimeException("This did not come true within 60 s: $condition");
    }

    /** @return mixed result of the function's body, as JSON */
    public function run(string $body): mixed
    {
        return json_decode((string) json_encode($this->driver->executeScript($body)), true);
    }

    /** Presses keys in the focused element; see WebDriverKeys for those without a character. */
    public function press(string ...$keys): void
    {
        foreach ($keys as $key) {
            $this->driver->getKeyboard()->sendKeys($key);
        }
    }

    /** Clicks on the element, and waits until the page after it is loaded. */
    public function follow(string $selector): void
    {
        $this->run('window.larderLeft = true; document.querySelector(' . json_encode($selector) . ').click();');
        $this->waitFor('window.larderLeft === undefined && document.readyState === "complete"');
    }

    /** Chooses a file in the element, which is an input of the type file. */
    public function choose(string $selector, string $file): void
    {
        $this->driver->findElement(WebDriverBy::cssSelector($selector))->sendKeys($file);
    }

    /** Presses Tab until the element has the focus. */
    public function tabTo(string $selector): void
    {
        for ($i = 0; $i < 300; ++$i) {
            if ($this->run('return document.activeElement.matches(' . json_encode($selector) . ');') === true) {
                return;
            }
            $this->press(WebDriverKeys::TAB);
        }

        throw new \RuntimeException("$selector cannot be reached by Tab");
    }

    public function picture(string $file): void
    {
        $height = $this->run('return document.documentElement.scrollHeight;');
        $answer = $this->tools->execute('Page.captureScreenshot', ['captureBeyondViewport' => true, 'clip' => ['x' => 0, 'y' => 0, 'width' => $this->run('return innerWidth;'), 'height' => min(12000, \is_int($height) ? $height : 0), 'scale' => 1]]);
        if (!\is_string($answer['data'] ?? null)) {
            throw new \RuntimeException('no picture');
        }
        (new Filesystem())->dumpFile($file, (string) base64_decode($answer['data'], true));
    }

    /** The file that is downloaded by a click on the element. */
    public function download(string $selector): string
    {
        $files = new Filesystem();
        $files->remove($this->downloads());
        $this->run('document.querySelector(' . json_encode($selector) . ').click();');
        for ($end = microtime(true) + 30; microtime(true) < $end; usleep(20_000)) {
            foreach ($this->downloads() as $file) {
                if (!str_ends_with($file, '.crdownload') && filesize($file) > 0) {
                    return (string) file_get_contents($file);
                }
            }
        }

        throw new \RuntimeException("$selector downloads nothing");
    }

    /** @return list<string> messages of the console since the last call, including errors */
    public function messages(): array
    {
        return array_map(static fn(array $entry): string => \is_string($entry['message']) ? $entry['message'] : '', $this->log('browser'));
    }

    /** @return list<string> addresses requested since the last call */
    public function addresses(): array
    {
        $addresses = [];
        foreach ($this->log('performance') as $entry) {
            $event = json_decode(\is_string($entry['message']) ? $entry['message'] : '', true);
            if (\is_array($event) && \is_array($message = $event['message']) && $message['method'] === 'Network.requestWillBeSent' && \is_array($message['params']) && \is_array($request = $message['params']['request'])) {
                $addresses[] = \is_string($request['url']) ? $request['url'] : '';
            }
        }

        return $addresses;
    }

    /** @return list<string> */
    private function downloads(): array
    {
        $files = glob($this->directory . '/downloads/*');

        return $files === false ? [] : $files;
    }

    /** @return list<array<mixed>> */
    private function log(string $name): array
    {
        /** @var list<array<mixed>> */
        return $this->driver->manage()->getLog($name);
    }
}
