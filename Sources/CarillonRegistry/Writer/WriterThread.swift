import CarillonCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The thread of a writer: LMDB's lock of the writer belongs to a thread, so a task, which may move, cannot hold it.
enum WriterThread {
    /// Hands a writer to its thread.
    private final class Handover {
        var writer: Writer?
        let queue: WriteQueue

        init(writer: Writer, queue: WriteQueue) {
            self.writer = writer
            self.queue = queue
        }
    }

    /// Starts a thread that runs the writer, and then lets go of it; `queue` is told when that is done.
    static func start(queue: WriteQueue, _ writer: sending Writer) throws(RegistryError) {
        let handover = Unmanaged.passRetained(Handover(writer: writer, queue: queue))
        var thread = pthread_t()
        // Safety: the box is retained for the thread, which takes it back exactly once.
        let result = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                WriterThread.run(Unmanaged<Handover>.fromOpaque(context).takeRetainedValue())
                return nil
            },
            handover.toOpaque()
        )
        guard result == 0 else {
            handover.release()
            throw .storageFailed("no thread for the writer (\(result))")
        }
        pthread_detach(thread)
    }

    private static func run(_ handover: Handover) {
        runWriter(of: handover)
        handover.queue.stopped()
    }

    /// A function of its own, so that the writer, and with it the environment, is gone when it returns.
    @inline(never)
    private static func runWriter(of handover: Handover) {
        handover.writer?.run()
        handover.writer = nil
    }
}
