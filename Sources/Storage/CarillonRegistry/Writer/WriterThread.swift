import CarillonCore
import CarillonThread

/// The thread of a writer. LMDB's writer lock belongs to a thread (lmdb.h, `mdb_txn_begin`), so a task, which may move
/// between threads, cannot hold it.
enum WriterThread {
    /// A box that carries a writer to its thread.
    private final class Context {
        var writer: Writer?

        init(writer: Writer) {
            self.writer = writer
        }
    }

    /// Starts a thread that runs the writer and then releases it; `queue.writerStopped()` is called after that.
    static func start(queue: WriteQueue, _ writer: sending Writer) throws(RegistryError) {
        let context = Context(writer: writer)
        do {
            try SystemThread.start(named: "writer") {
                run(context)
                queue.writerStopped()
            }
        } catch {
            throw .storageFailed(error.description)
        }
    }

    /// Runs the writer. This is a function of its own, so that the writer, and with it the LMDB environment, is
    /// released when it returns.
    @inline(never)
    private static func run(_ context: Context) {
        context.writer?.run()
        context.writer = nil
    }
}
