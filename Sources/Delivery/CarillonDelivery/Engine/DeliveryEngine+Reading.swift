package import CarillonCore

/// Decides which page is read next, and takes the pages that were read.
extension DeliveryEngine {
    /// Requests pages for the queues in turn, until no queue has a page to read or there is no room.
    mutating func readPagesIfRoom() {
        for lane in Lane.allCases {
            var refused = 0
            while refused < messages.turnCount(of: lane), pages.hasRoomForRead(of: lane),
                let queue = messages.beginTurn(of: lane)
            {
                switch readPage(of: queue) {
                case .used: refused = 0
                case .refused: refused += 1
                }
                messages.endTurn(of: queue, in: pages)
            }
        }
    }

    /// The result of a queue's turn to read.
    private enum Turn {
        /// A page is being read, or the queue has none to read.
        case used
        /// There is no room for a page of the queue.
        case refused
    }

    /// Requests one page of a queue in its turn, if there is room for it.
    private mutating func readPage(of queue: OutboxQueue) -> Turn {
        guard pages.hasRoomForPage(of: queue) else { return .refused }
        // While too many pages are suspended, the only pages that are read are suspended ones with a recipient that is
        // due.
        switch messages.nextPage(of: queue, mayBegin: pages.suspendedCount < limits.suspendedPages) {
        case .blocked: return .refused
        case .noMessage, .noPage: return .used
        case .page(let key, let wasSuspended):
            if wasSuspended { pages.pagesResumed() }
            read(key, isNext: !wasSuspended, of: queue)
            return .used
        }
    }

    private mutating func read(_ key: PageKey, isNext: Bool, of queue: OutboxQueue) {
        let sequence = pages.beginRead(of: queue)
        actions.readPage(Actions.PageRead(message: key.message, page: key.page, isNext: isNext, sequence: sequence))
    }

    /// Reads a page again because devices in it have changed.
    mutating func readAgain(_ key: PageKey) {
        guard messages[key.message]?.beginRereading(key.page) == true,
            let queue = messages.properties(of: key.message)?.queue
        else { return }
        read(key, isNext: false, of: queue)
    }

    /// Takes a page that was asked for into memory.
    ///
    /// - Parameter page: nil if there is no such page, or no next page.
    package mutating func pageRead(_ page: RecipientPage?, for read: Actions.PageRead, at now: Moment) {
        guard let properties = messages.properties(of: read.message) else { return }
        pages.endRead(of: properties.queue)
        if read.isNext {
            nextPageRead(page, for: read, at: now)
        } else {
            pageReadAgain(page, for: read, at: now)
        }
        messages.requestPage(of: read.message)
        removeIfDone(read.message, at: now)
    }

    /// Called when a page that was asked for cannot be read. Its recipients stay pending in the outbox; the other pages
    /// go on.
    package mutating func pageUnreadable(_ read: Actions.PageRead, at now: Moment) {
        messages[read.message]?.recipientKeptOnDisk(in: read.isNext ? nil : read.page)
        pageRead(nil, for: read, at: now)
    }

    /// Opens the page that was found, or ends the reading of the message if it has no more pages.
    private mutating func nextPageRead(_ page: RecipientPage?, for read: Actions.PageRead, at now: Moment) {
        messages[read.message]?.endReadOfNextPage()
        defer { endBlocks(of: read.message) }
        guard let page, page.number >= read.page else {
            messages[read.message]?.end(from: read.page)
            return
        }
        guard messages[read.message]?.open(page.number, from: read.page, isLast: page.isLast) == true else { return }
        insert(page, sequence: read.sequence, at: now)
    }

    /// Takes the recipients whose devices have changed from the new read; the others keep their state. A page that was
    /// suspended enters memory as a whole.
    private mutating func pageReadAgain(_ page: RecipientPage?, for read: Actions.PageRead, at now: Moment) {
        let key = PageKey(message: read.message, page: read.page)
        messages[key.message]?.endRereading(key.page)
        if page == nil { messages[key.message]?.recipientKeptOnDisk(in: key.page) }
        let isInMemory = withPage(key, at: now) { engine, known in
            let changed = known.loaded.changedPositions()
            if let page { known.loaded.reload(page, sequence: read.sequence) }
            let routes = engine.routes(of: known)
            for position in changed {
                known.loaded.move(position, to: .untracked)
                if page != nil { known.schedule(position, routes: routes, times: &engine.retryTimes) }
            }
        }
        guard !isInMemory else { return }
        // It was suspended.
        if let page { insert(page, sequence: read.sequence, at: now) } else { close(key) }
    }

    // MARK: Changes of devices

    /// Forgets what was read of a device that has changed: it was unregistered, has another token, or is in other
    /// audiences.
    ///
    /// Call it before the change is answered.
    package mutating func deviceChanged(_ device: DeviceID, of app: AppID) {
        guard !pages.isEmpty else { return }
        pages.deviceChanged(AppDevice(app: app, device: device))
    }

    /// Forgets what was read of all devices, because any of them may have changed.
    package mutating func allDevicesChanged() {
        pages.allDevicesChanged()
    }
}
