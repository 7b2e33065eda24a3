import GRDBSQLite
import Glibc
import Synchronization

/// SQLite's way to files, through the simulated disks. Files that lie on none are SQLite's own as ever.
///
/// Each file of SQLite's is one of this VFS's, with the system's behind it: what changes something asks the disk first.
enum DiskVFS {
    private static let disks = Mutex<[String: Attached]>([:])

    private struct Attached {
        weak var disk: SimulatedDisk?
    }

    /// SQLite uses it from now on.
    static func attach(_ disk: SimulatedDisk) {
        _ = isRegistered
        disks.withLock { $0[disk.directory] = Attached(disk: disk) }
    }

    static func detach(_ directory: String) { disks.withLock { _ = $0.removeValue(forKey: directory) } }

    static func disk(of path: String) -> SimulatedDisk? {
        // A disk whose last reference this gives up is detached: not while the list is locked.
        let attached = disks.withLock { Array($0.values) }
        return attached.lazy.compactMap(\.disk).first { $0.holds(path) }
    }

    private nonisolated(unsafe) static let system: UnsafeMutablePointer<sqlite3_vfs>? = sqlite3_vfs_find(nil)

    private static let isRegistered: Bool = {
        guard let system else { return false }
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.pointee = system.pointee
        vfs.pointee.pNext = nil
        vfs.pointee.zName = UnsafePointer(strdup("simulated-disks"))
        vfs.pointee.szOsFile = Int32(DiskFile.headerSize) + system.pointee.szOsFile
        vfs.pointee.xOpen = { _, name, file, flags, outFlags in
            guard let file else { return SQLITE_CANTOPEN }
            return DiskFile.open(name, file, flags, outFlags, by: DiskVFS.system)
        }
        vfs.pointee.xDelete = { _, name, synchronizes in
            guard let name, let system = DiskVFS.system else { return DiskError.removal }
            let path = String(cString: name)
            guard let disk = DiskVFS.disk(of: path) else { return system.pointee.xDelete(system, name, synchronizes) }
            var code = SQLITE_OK
            let answer = disk.remove(path) {
                code = system.pointee.xDelete(system, name, 0)
                return code == SQLITE_OK
            }
            guard answer == .done else { return code == SQLITE_OK ? DiskError.removal : code }
            guard synchronizes != 0 else { return SQLITE_OK }
            let directory = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
            return disk.synchronizeNames(in: directory) == .done ? SQLITE_OK : DiskError.directorySynchronization
        }
        return sqlite3_vfs_register(vfs, 1) == SQLITE_OK
    }()
}

/// SQLite's extended codes, whose macros Swift does not see.
private enum DiskError {
    static let write = SQLITE_IOERR | 3 << 8
    static let synchronization = SQLITE_IOERR | 4 << 8
    static let directorySynchronization = SQLITE_IOERR | 5 << 8
    static let truncation = SQLITE_IOERR | 6 << 8
    static let removal = SQLITE_IOERR | 10 << 8
}

/// An open file of SQLite's: a header, and behind it the system's.
private struct DiskFile {
    static let headerSize = MemoryLayout<DiskFile>.stride

    var base: sqlite3_file
    /// The disk that it lies on; kept by the file.
    var disk: Unmanaged<SimulatedDisk>?
    var number: UInt64
    /// Its name is made durable with its content, the first time.
    var wantsName: Bool
    var path: UnsafeMutablePointer<CChar>?

    /// The methods are those of the second version: files are not mapped.
    private nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: sqlite3_io_methods())
        methods.pointee.iVersion = 2
        methods.pointee.xClose = { file in
            let code = behind(file).pMethods.pointee.xClose(pointer(behind: file))
            file.map { header($0).pointee.disk?.release() }
            file.map { free(header($0).pointee.path) }
            return code
        }
        methods.pointee.xRead = { file, buffer, count, offset in
            guard disk(file)?.read() != false else { return SQLITE_IOERR }
            return behind(file).pMethods.pointee.xRead(pointer(behind: file), buffer, count, offset)
        }
        methods.pointee.xWrite = { file, bytes, count, offset in
            guard let disk = disk(file), let file else {
                return behind(file).pMethods.pointee.xWrite(pointer(behind: file), bytes, count, offset)
            }
            let buffer = UnsafeRawBufferPointer(start: bytes, count: Int(count))
            let (_, answer) = disk.write(buffer, to: header(file).pointee.number, at: Int(offset)) { count in
                let code = behind(file).pMethods.pointee.xWrite(pointer(behind: file), bytes, Int32(count), offset)
                return code == SQLITE_OK ? count : 0
            }
            return answer == .done ? SQLITE_OK : answer == .full ? SQLITE_FULL : DiskError.write
        }
        methods.pointee.xTruncate = { file, size in
            guard let disk = disk(file), let file else {
                return behind(file).pMethods.pointee.xTruncate(pointer(behind: file), size)
            }
            let answer = disk.truncate(header(file).pointee.number, to: Int(size)) {
                behind(file).pMethods.pointee.xTruncate(pointer(behind: file), size) == SQLITE_OK
            }
            return answer == .done ? SQLITE_OK : DiskError.truncation
        }
        methods.pointee.xSync = { file, flags in
            guard let disk = disk(file), let file else {
                return behind(file).pMethods.pointee.xSync(pointer(behind: file), flags)
            }
            let path = header(file).pointee.path.map { String(cString: $0) } ?? ""
            guard disk.synchronize(header(file).pointee.number, path: path) == .done else {
                return DiskError.synchronization
            }
            guard header(file).pointee.wantsName else { return SQLITE_OK }
            header(file).pointee.wantsName = false
            let directory = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
            return disk.synchronizeNames(in: directory) == .done ? SQLITE_OK : DiskError.directorySynchronization
        }
        methods.pointee.xFileSize = { behind($0).pMethods.pointee.xFileSize(pointer(behind: $0), $1) }
        methods.pointee.xLock = { behind($0).pMethods.pointee.xLock(pointer(behind: $0), $1) }
        methods.pointee.xUnlock = { behind($0).pMethods.pointee.xUnlock(pointer(behind: $0), $1) }
        methods.pointee.xCheckReservedLock = {
            behind($0).pMethods.pointee.xCheckReservedLock(pointer(behind: $0), $1)
        }
        methods.pointee.xFileControl = { behind($0).pMethods.pointee.xFileControl(pointer(behind: $0), $1, $2) }
        methods.pointee.xSectorSize = { behind($0).pMethods.pointee.xSectorSize(pointer(behind: $0)) }
        methods.pointee.xDeviceCharacteristics = {
            behind($0).pMethods.pointee.xDeviceCharacteristics(pointer(behind: $0))
        }
        methods.pointee.xShmMap = { behind($0).pMethods.pointee.xShmMap(pointer(behind: $0), $1, $2, $3, $4) }
        methods.pointee.xShmLock = { behind($0).pMethods.pointee.xShmLock(pointer(behind: $0), $1, $2, $3) }
        methods.pointee.xShmBarrier = { behind($0).pMethods.pointee.xShmBarrier(pointer(behind: $0)) }
        methods.pointee.xShmUnmap = { behind($0).pMethods.pointee.xShmUnmap(pointer(behind: $0), $1) }
        return UnsafePointer(methods)
    }()

    private static func header(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<DiskFile> {
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: DiskFile.self)
    }

    private static func pointer(behind file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<sqlite3_file>?
    {
        file.map { (UnsafeMutableRawPointer($0) + headerSize).assumingMemoryBound(to: sqlite3_file.self) }
    }

    private static func behind(_ file: UnsafeMutablePointer<sqlite3_file>?) -> sqlite3_file {
        pointer(behind: file)?.pointee ?? sqlite3_file()
    }

    private static func disk(_ file: UnsafeMutablePointer<sqlite3_file>?) -> SimulatedDisk? {
        file.flatMap { header($0).pointee.disk?.takeUnretainedValue() }
    }

    static func open(
        _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?, by system: UnsafeMutablePointer<sqlite3_vfs>?
    ) -> Int32 {
        guard let system, let inner = pointer(behind: file) else { return SQLITE_CANTOPEN }
        let own = header(file)
        own.initialize(
            to: DiskFile(base: sqlite3_file(pMethods: nil), disk: nil, number: 0, wantsName: false, path: nil))
        let path = name.map { String(cString: $0) } ?? ""
        let disk = name == nil ? nil : DiskVFS.disk(of: path)
        inner.pointee.pMethods = nil
        var code = SQLITE_OK
        func openInner() -> Bool {
            code = system.pointee.xOpen(system, name, inner, flags, outFlags)
            return code == SQLITE_OK
        }
        let isNew = SimulatedDisk.number(path) == nil
        if let disk, isNew, flags & SQLITE_OPEN_CREATE != 0 {
            guard disk.add(path, openInner) == .done else {
                if let close = inner.pointee.pMethods?.pointee.xClose { _ = close(inner) }
                return code == SQLITE_OK ? SQLITE_CANTOPEN : code
            }
        } else {
            guard disk?.read() != false else { return SQLITE_CANTOPEN }
            guard openInner() else { return code }
        }
        // As the system's does, whether the file is new or not.
        own.pointee.wantsName =
            flags & SQLITE_OPEN_CREATE != 0 && flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0
        own.pointee.disk = disk.map { Unmanaged.passRetained($0) }
        own.pointee.number = SimulatedDisk.number(path) ?? 0
        own.pointee.path = strdup(path)
        file.pointee.pMethods = methods
        return SQLITE_OK
    }
}
