import Foundation
import TestPrograms

/// The programs that these tests start.
enum Programs {
    static let broker = BuiltPrograms.url("popup-broker").path
    static let control = BuiltPrograms.url("popupctl").path
    static let survivor = BuiltPrograms.url("survivor").path
}
