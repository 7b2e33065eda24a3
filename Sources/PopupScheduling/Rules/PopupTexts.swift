// The body of a popup: its producer, collapse key, surface and content in one block of the store.
extension Scheduler {
    /// Stores the parts of a popup's body in one block.
    mutating func storeBody(
        _ producer: ProducerID?, _ key: UnsafeRawBufferPointer, _ surface: UnsafeRawBufferPointer,
        _ content: UnsafeRawBufferPointer
    ) -> ByteReference {
        guard var producer else { return store.store(nothing, key, surface, content) }
        return withUnsafeBytes(of: &producer) { store.store($0, key, surface, content) }
    }

    func producer(of popup: PopupRecord.Index) -> ProducerID? {
        let record = popups[popup]
        return record.producerCount == 0 ? nil : store[record.body].loadUnaligned(as: ProducerID.self)
    }

    func collapseKey(of popup: PopupRecord.Index) -> UnsafeRawBufferPointer {
        store[popups[popup].body].after(popups[popup].producerCount).first(Int(popups[popup].keyCount))
    }

    func surface(of popup: PopupRecord.Index) -> UnsafeRawBufferPointer {
        store[popups[popup].body].after(popups[popup].producerCount + Int(popups[popup].keyCount))
            .first(Int(popups[popup].surfaceCount))
    }

    @inline(__always)
    func content(of popup: PopupRecord.Index) -> UnsafeRawBufferPointer {
        store[popups[popup].body]
            .after(popups[popup].producerCount + Int(popups[popup].keyCount + popups[popup].surfaceCount))
    }
}
