<?php

declare(strict_types=1);

namespace Shop;

use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Attribute\MapQueryString;
use Symfony\Component\HttpKernel\Attribute\MapRequestPayload;
use Symfony\Component\PropertyAccess\PropertyAccessorInterface;
use Symfony\Component\Routing\Attribute\Route;
use Symfony\Component\Serializer\SerializerInterface;
use Symfony\Component\Validator\Validator\ValidatorInterface;
use Symfony\Contracts\Cache\CacheInterface;

final class Pages
{
    public function __construct(
        private readonly Catalogue $catalogue,
        private readonly SerializerInterface $serializer,
        private readonly ValidatorInterface $validator,
        private readonly PropertyAccessorInterface $accessor,
    ) {}

    #[Route('/', name: 'list', methods: ['GET'])]
    public function list(#[MapQueryString] Selection $selection = new Selection()): JsonResponse
    {
        return $this->answer(['articles' => $this->catalogue->select($selection), 'of' => $selection], 'list');
    }

    #[Route('/article/{id<\d+>}', name: 'article', methods: ['GET'])]
    public function article(int $id): JsonResponse
    {
        $article = $this->catalogue->article($id);
        $wrong = array_map(static fn($violation): string => "{$violation->getPropertyPath()}: {$violation->getMessage()}", iterator_to_array($this->validator->validate($article)));

        return $this->answer([
            'article' => $article,
            'made in' => $this->accessor->getValue($article, 'maker.country'),
            'reviews' => $this->catalogue->reviews($id),
            'columns' => $this->catalogue->columns(),
            'wrong' => $wrong,
        ], 'detail');
    }

    #[Route('/article/{id<\d+>}/review', name: 'review', methods: ['POST'])]
    public function review(int $id, #[MapRequestPayload] Review $review): JsonResponse
    {
        $this->catalogue->add($id, $review);

        return $this->answer(['reviews' => $this->catalogue->reviews($id)], 'detail');
    }

    #[Route('/article/{id<\d+>}/forget', name: 'forget', methods: ['POST'])]
    public function forget(int $id): JsonResponse
    {
        $this->catalogue->forget($id);

        return $this->answer(['reviews' => $this->catalogue->reviews($id)], 'detail');
    }

    /** Reads 60 lists of products from the cache; lab/figures/run pages measures it. */
    #[Route('/lists', name: 'lists', methods: ['GET'])]
    public function lists(CacheInterface $cache): Response
    {
        $page = "<!DOCTYPE html>\n<title>Lists</title>\n";
        $made = 0;
        for ($number = 0; $number < 60; $number++) {
            $list = $cache->get("list.$number", static function () use ($number, &$made): array {
                $made++;

                return (require __DIR__ . '/../../products.php')($number);
            });
            $page .= \sprintf("<p>%s and %d more</p>\n", htmlspecialchars($list[0]['name']), \count($list) - 1);
        }

        return new Response("$page<p>made now: $made</p>\n");
    }

    /** The statistics of APCu. */
    #[Route('/cached', name: 'cached', methods: ['GET'])]
    public function cached(): JsonResponse
    {
        return new JsonResponse(apcu_cache_info(true));
    }

    /** @param array<string, mixed> $data */
    private function answer(array $data, string $group): JsonResponse
    {
        return JsonResponse::fromJsonString($this->serializer->serialize($data, 'json', ['groups' => [$group]]));
    }
}
