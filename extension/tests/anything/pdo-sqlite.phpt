--TEST--
A fetched value is bound to statements
--EXTENSIONS--
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$database = new PDO('sqlite::memory:');
$database->exec('CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, data BLOB)');
$insert = $database->prepare('INSERT INTO t (name, data) VALUES (:name, :data)');
$name = stored('text');
$data = stored('binary');
$insert->bindParam(':name', $name);
$insert->bindParam(':data', $data, PDO::PARAM_LOB);
$insert->execute();
$name .= '!';
$insert->execute();
$insert->bindValue(':name', stored('long'));
$insert->bindValue(':data', stored('number'), PDO::PARAM_INT);
$insert->execute();
$insert->execute(['name' => stored('word'), 'data' => stored('text')]);
$database->prepare('INSERT INTO t (name, data) VALUES (?, ?)')->execute([stored('rows')[0]['name'], stored('utf8')]);
$select = $database->query('SELECT * FROM t');
$select->bindColumn('name', $bound);
while ($row = $select->fetch(PDO::FETCH_BOTH)) {
    $row['name'] .= '!';
    $bound .= '!';
}
$database->sqliteCreateFunction(stored('word'), fn (string $of) => stored('text') . $of);
$database->query('SELECT ' . stored('word') . "('x')")->fetchColumn();
$database->quote(stored('text'));
class Row
{
    public $name;
    public $data;
}
$rows = $database->query('SELECT name, data FROM t')->fetchAll(PDO::FETCH_CLASS, 'Row');
$rows[0]->name = stored('text');
$database->query('SELECT name, id FROM t')->fetchAll(PDO::FETCH_KEY_PAIR);
try {
    $database->query(stored('text'));
} catch (PDOException $e) {
    strlen($e->getMessage());
}

unchanged();
?>
--EXPECT--
unchanged
