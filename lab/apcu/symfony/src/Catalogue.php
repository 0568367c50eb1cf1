<?php

declare(strict_types=1);

namespace Shop;

use Doctrine\Common\Annotations\Reader;
use Symfony\Contracts\Cache\ItemInterface;
use Symfony\Contracts\Cache\TagAwareCacheInterface;

/** Articles and their reviews, which exist only in the cache. A lost article is created again, without reviews. */
final class Catalogue
{
    private const ON_A_PAGE = 20;

    public function __construct(private readonly TagAwareCacheInterface $cacheCatalogue, private readonly Reader $annotations) {}

    /** @return list<Article> */
    public function select(Selection $selection): array
    {
        return $this->cacheCatalogue->get("page.$selection->page.$selection->by", static function (ItemInterface $item) use ($selection): array {
            $item->tag(['pages'])->expiresAfter(3600);
            $articles = array_map(self::make(...), range(($selection->page - 1) * self::ON_A_PAGE + 1, $selection->page * self::ON_A_PAGE));
            usort($articles, static fn(Article $a, Article $b): int => [$a->{$selection->by}, $a->id] <=> [$b->{$selection->by}, $b->id]);

            return $articles;
        });
    }

    public function article(int $id): Article
    {
        return $this->cacheCatalogue->get("article.$id", static function (ItemInterface $item) use ($id): Article {
            $item->tag(['articles', "article.$id"])->expiresAfter(3600);

            return self::make($id);
        });
    }

    /** @return list<Review> */
    public function reviews(int $article): array
    {
        return $this->cacheCatalogue->get("reviews.$article", static fn(): array => []);
    }

    public function add(int $article, Review $review): void
    {
        $reviews = [...$this->reviews($article), $review];
        $this->cacheCatalogue->delete("reviews.$article");
        $this->cacheCatalogue->get("reviews.$article", static function (ItemInterface $item) use ($article, $reviews): array {
            $item->tag("article.$article");

            return $reviews;
        });
    }

    public function forget(int $article): void
    {
        $this->cacheCatalogue->invalidateTags(["article.$article", 'pages']);
    }

    /**
     * Columns in which articles are stored, by property.
     *
     * @return array<string, Column|null>
     */
    public function columns(): array
    {
        $columns = [];
        foreach ([Article::class, Maker::class] as $class) {
            foreach ((new \ReflectionClass($class))->getProperties() as $property) {
                $columns["$class::$property->name"] = $this->annotations->getPropertyAnnotation($property, Column::class);
            }
        }

        return $columns;
    }

    private static function make(int $id): Article
    {
        $maker = new Maker('Maker ' . $id % 7, ['DE', 'FR', 'IT'][$id % 3]);

        return new Article($id, "Article $id", str_repeat("What can be said about article $id. ", 10), $id * 7919 % 10_000 + 1, $maker, ["label $id", 'new', 'é']);
    }
}
