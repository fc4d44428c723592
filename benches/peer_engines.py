"""The engines of the peers benchmark behind one interface.

All engines do the same work. They index texts, in which every lower-cased ASCII alphanumeric run is a term, without
stemming or stop words. A query is a list of terms separated by spaces; a document matches if it has any of them. The
result is the numbers of the k best documents, without their texts. The ranking is BM25, with k1 1.2 and b 0.75 if the
engine can be configured. This file imports nothing at its top: an engine is imported by the call that needs it, so that
a cold start loads only one engine.
"""

K1, B = 1.2, 0.75
NOT_TERMS = bytes(
    byte + 32 if 65 <= byte <= 90 else byte if chr(byte).isalnum() else 32 for byte in range(128)
) + bytes([32] * 128)


def split_terms(text: str) -> list[str]:
    """The terms of a text, for engines that need them already split."""
    return text.encode().translate(NOT_TERMS).decode().split()


class Engine:
    """An engine. `folder` is the folder of its index; `module` is the module that must be importable."""

    name = module = ""
    # The name of the engine whose index this engine reads, if it has no index of its own.
    index_of = ""
    size_max = 10**9
    # Whether added documents are found without reopening the index, and whether many queries can be searched in one
    # call.
    grows = batches = False

    def build(self, texts: list[str], folder: str) -> None:
        """Index the texts and write the index."""
        raise NotImplementedError

    def open(self, folder: str) -> None:
        """Make the index ready to be searched."""
        raise NotImplementedError

    def search(self, query: str, k: int) -> list[int]:
        """The numbers of the k best documents, best first."""
        raise NotImplementedError

    def best(self, query: str, k: int) -> list[int]:
        """The documents to compare between engines: the k best; the exact engine adds all ties with the last one."""
        return self.search(query, k)

    def search_many(self, queries: list[str], k: int) -> None:
        """Search for all queries in one call, on one thread."""
        raise NotImplementedError

    def add(self, text: str) -> None:
        """Make one more document visible to `search` and put it on disk."""
        raise NotImplementedError

    def for_thread(self) -> "Engine":
        """An engine object for another thread; the same object if threads may share it."""
        return self


class Nothing(Engine):
    """No engine at all: it measures the overhead of the benchmark itself, which is part of every cold figure."""

    name, module = "nothing", "os"

    def open(self, folder: str) -> None:
        pass

    def search(self, query: str, k: int) -> list[int]:
        return [0]


class Cuecard(Engine):
    """cuecard's own index."""

    name = module = "cuecard"
    grows = batches = True
    fsync = True

    def build(self, texts: list[str], folder: str) -> None:
        cuecard = __import__("cuecard")
        cuecard.Index.build(texts, analyzer="words", k1=K1, b=B).save(f"{folder}/index")

    def open(self, folder: str) -> None:
        self.path = f"{folder}/index"
        self.index = __import__("cuecard").Index.open(self.path)

    def search(self, query: str, k: int) -> list[int]:
        return [number for number, _ in self.index.search(query, k)]

    def search_many(self, queries: list[str], k: int) -> None:
        self.index.search_many(queries, k, threads=1)

    def add(self, text: str) -> None:
        self.index.add([text])
        self.index.save(self.path, fsync=self.fsync)


class CuecardWithoutFsync(Cuecard):
    """cuecard's own index without fsync, so that a power cut may lose the last document."""

    name, index_of = "cuecard-no-fsync", "cuecard"
    fsync = False


class Bm25s(Engine):
    """bm25s, which computes scores when it builds the index, and adds whole columns with NumPy.

    It is exact, so `overlap` compares other engines with it.
    """

    name, module = "bm25s", "bm25s"
    backend = "numpy"
    batches = True

    def build(self, texts: list[str], folder: str) -> None:
        bm25s = __import__("bm25s")
        terms = bm25s.tokenize(texts, stopwords=None, token_pattern="[a-z0-9]+", show_progress=False)
        index = bm25s.BM25(method="lucene", k1=K1, b=B, backend=self.backend)
        index.index(terms, show_progress=False)
        index.save(folder, show_progress=False)

    def open(self, folder: str) -> None:
        bm25s = __import__("bm25s")
        self.index = bm25s.BM25.load(folder, mmap=True, backend=self.backend, show_progress=False)
        self.size = int(self.index.scores["num_docs"])

    def search(self, query: str, k: int) -> list[int]:
        found, _ = self.index.retrieve([query.split()], k=min(k, self.size), show_progress=False)
        return [int(number) for number in found[0]]

    def best(self, query: str, k: int) -> list[int]:
        scores = self.index.get_scores(query.split())
        least = max(float(scores[scores.argpartition(-min(k, self.size))[-min(k, self.size) :]].min()), 1e-9)
        return [int(number) for number in (scores >= least).nonzero()[0]]

    def search_many(self, queries: list[str], k: int) -> None:
        self.index.retrieve([query.split() for query in queries], k=min(k, self.size), show_progress=False)


class Bm25sNumba(Bm25s):
    """bm25s with code that Numba compiles again in every process. Its arrays are loaded, and not memory-mapped."""

    name, module, index_of = "bm25s-numba", "numba", "bm25s"
    backend = "numba"

    def open(self, folder: str) -> None:
        bm25s = __import__("bm25s")
        self.index = bm25s.BM25.load(folder, backend=self.backend, show_progress=False)
        self.size = int(self.index.scores["num_docs"])


class RankBm25(Engine):
    """rank-bm25, which has a Python dictionary for every document and no file format, so its object is pickled."""

    name, module = "rank-bm25", "rank_bm25"
    size_max = 100_000

    def build(self, texts: list[str], folder: str) -> None:
        index = __import__("rank_bm25").BM25Okapi([split_terms(text) for text in texts], k1=K1, b=B)
        __import__("pathlib").Path(folder, "index").write_bytes(__import__("pickle").dumps(index, protocol=5))

    def open(self, folder: str) -> None:
        self.index = __import__("pickle").loads(__import__("pathlib").Path(folder, "index").read_bytes())

    def search(self, query: str, k: int) -> list[int]:
        scores = self.index.get_scores(query.split())
        best = (-scores).argpartition(min(k, len(scores) - 1))[:k]
        return [int(number) for number in best[(-scores[best]).argsort()]]


class Tantivy(Engine):
    """Tantivy, which is Lucene's design in Rust. With `count=False` it need not count every hit, so it can prune."""

    name = module = "tantivy"
    grows = True

    def _register(self) -> None:
        tantivy = __import__("tantivy")
        runs = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex("[A-Za-z0-9]+"))
        self.index.register_tokenizer("runs", runs.filter(tantivy.Filter.lowercase()).build())

    def build(self, texts: list[str], folder: str) -> None:
        tantivy = __import__("tantivy")
        schema = tantivy.SchemaBuilder()
        schema.add_integer_field("number", stored=True, indexed=False)
        schema.add_text_field("text", stored=False, tokenizer_name="runs", index_option="freq")
        self.index = tantivy.Index(schema.build(), path=folder)
        self._register()
        writer = self.index.writer(heap_size=512_000_000, num_threads=1)
        for number, text in enumerate(texts):
            writer.add_document(tantivy.Document(number=number, text=text))
        writer.commit()
        writer.wait_merging_threads()

    def open(self, folder: str) -> None:
        self.index = __import__("tantivy").Index.open(folder)
        self._register()
        # The reader does not start the thread that watches the folder.
        self.index.config_reader("manual")
        self.index.reload()
        self.searcher = self.index.searcher()

    def search(self, query: str, k: int) -> list[int]:
        searcher = self.searcher
        hits = searcher.search(self.index.parse_query(query, ["text"]), k, count=False).hits
        return [searcher.doc(address)["number"][0] for _, address in hits]

    def add(self, text: str) -> None:
        writer = self.index.writer(heap_size=15_000_000, num_threads=1)
        writer.add_document(__import__("tantivy").Document(number=self.searcher.num_docs, text=text))
        writer.commit()
        self.index.reload()
        self.searcher = self.index.searcher()


class Bm25Turbo(Engine):
    """bm25-turbo, which computes scores in Rust when it builds the index; its own analyser drops stop words."""

    name, module = "bm25-turbo", "bm25_turbo_python"

    def build(self, texts: list[str], folder: str) -> None:
        index = __import__("bm25_turbo_python").BM25(method="lucene", k1=K1, b=B)
        index.index(texts)
        index.save(f"{folder}/index")

    def open(self, folder: str) -> None:
        self.index = __import__("bm25_turbo_python").BM25.load(f"{folder}/index")

    def search(self, query: str, k: int) -> list[int]:
        found: list[int] = self.index.search(query, k)[0]
        return found


class Fts5(Engine):
    """SQLite's full-text index, without the texts; its k1 and b are fixed at the values of this benchmark."""

    name, module = "sqlite-fts5", "sqlite3"
    grows = True

    def build(self, texts: list[str], folder: str) -> None:
        database = __import__("sqlite3").connect(f"{folder}/index")
        database.execute("create virtual table texts using fts5(text, content='', tokenize='unicode61')")
        with database:
            database.executemany("insert into texts(rowid, text) values (?, ?)", enumerate(texts))
        with database:
            database.execute("insert into texts(texts) values ('optimize')")
        database.close()

    def open(self, folder: str) -> None:
        self.folder = folder
        self.database = __import__("sqlite3").connect(f"{folder}/index", check_same_thread=False)
        self.database.execute("pragma mmap_size = 2000000000")
        self.database.execute("pragma cache_size = -400000")

    def search(self, query: str, k: int) -> list[int]:
        words = " OR ".join([f'"{term}"' for term in query.split()])
        found = self.database.execute("select rowid from texts where texts match ? order by rank limit ?", (words, k))
        return [number for (number,) in found]

    def add(self, text: str) -> None:
        with self.database:
            self.database.execute("insert into texts(text) values (?)", (text,))

    def for_thread(self) -> "Fts5":
        """An engine with its own connection, because SQLite connections are not shared between threads."""
        other = Fts5()
        other.open(self.folder)
        return other


ENGINES: dict[str, type[Engine]] = {
    engine.name: engine
    for engine in (Nothing, Cuecard, CuecardWithoutFsync, Tantivy, Bm25sNumba, Bm25s, Bm25Turbo, Fts5, RankBm25)
}
